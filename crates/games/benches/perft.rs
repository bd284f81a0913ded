//! Speed of move generation, in positions counted per second.
//!
//! `bulk` is [`perft`] itself, which counts the moves of the last level without playing them.
//! `played` plays all of them: the plain loop, for comparison in the same run on the same machine.

use arena_games::shogi::{Position, perft};
use divan::Bencher;
use divan::counter::ItemsCount;

const DEPTH: u32 = 6;
const POSITIONS: u64 = 8_276_188;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn bulk(bencher: Bencher<'_, '_>) {
    measure(bencher, |start| perft(start, DEPTH));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn played(bencher: Bencher<'_, '_>) {
    measure(bencher, |start| played_perft(start, DEPTH));
}

fn measure(bencher: Bencher<'_, '_>, count: impl Fn(&Position) -> u64 + Sync) {
    let start = Position::start();
    bencher.counter(ItemsCount::new(POSITIONS)).bench(|| {
        let positions = count(divan::black_box(&start));
        assert_eq!(positions, POSITIONS);
        positions
    });
}

fn played_perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        divan::black_box(position);
        return 1;
    }
    let mut count = 0;
    position.for_each_batch(|batch| {
        batch.for_each(|action| count += played_perft(&position.after(action), depth - 1));
    });
    count
}
