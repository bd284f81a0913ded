//! The random number generators of games: those of the original referees, bit for bit, and one for
//! what they leave to chance.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "generators cut numbers on purpose"
)]

use sha1::{Digest, Sha1};

/// A source of random integers with the methods of Java's `Random`.
pub trait Generator {
    /// Returns the next 31 random bits.
    fn next31(&mut self) -> u32;

    /// Draws a number uniformly from `0..bound`, for a `bound` from 1 to 2^31 - 1, as
    /// `Random.nextInt(bound)` does.
    fn next_int(&mut self, bound: u32) -> u32 {
        let mut bits = self.next31();
        if bound.is_power_of_two() {
            return ((u64::from(bound) * u64::from(bits)) >> 31) as u32;
        }
        loop {
            // Reject the last, incomplete run of `bound` numbers below 2^31: it would favour small
            // results.
            let number = bits % bound;
            if bits - number + (bound - 1) <= i32::MAX.cast_unsigned() {
                return number;
            }
            bits = self.next31();
        }
    }
}

/// Shuffles `list` as `Collections.shuffle` does, with one draw per element but the first.
pub fn shuffle<T>(list: &mut [T], rng: &mut impl Generator) {
    for len in (2..=list.len()).rev() {
        list.swap(len - 1, rng.next_int(len as u32) as usize);
    }
}

/// Draws an element of `list` uniformly, with one draw. An empty list takes no draw.
pub fn choose<'a, T>(list: &'a [T], rng: &mut impl Generator) -> Option<&'a T> {
    match list.len() {
        0 => None,
        len => list.get(rng.next_int(len as u32) as usize),
    }
}

/// `java.util.Random`: a linear congruential generator with 48 bits of state.
#[derive(Clone, Debug)]
pub struct JavaRandom(u64);

impl JavaRandom {
    const MULTIPLIER: u64 = 0x5_DEEC_E66D;
    const INCREMENT: u64 = 0xB;
    const MASK: u64 = (1 << 48) - 1;

    /// `new Random(seed)`; only the low 48 bits of the seed matter.
    pub fn new(seed: i64) -> JavaRandom {
        JavaRandom((seed.cast_unsigned() ^ Self::MULTIPLIER) & Self::MASK)
    }

    /// Returns the next 32 random bits as a number: `nextInt()`.
    pub fn next_i32(&mut self) -> i32 {
        ((self.step() >> 16) as u32).cast_signed()
    }

    fn step(&mut self) -> u64 {
        let product = self.0.wrapping_mul(Self::MULTIPLIER);
        self.0 = product.wrapping_add(Self::INCREMENT) & Self::MASK;
        self.0
    }
}

impl Generator for JavaRandom {
    fn next31(&mut self) -> u32 {
        (self.step() >> 17) as u32
    }
}

/// Java's `SecureRandom` with the algorithm `SHA1PRNG`, seeded once with `setSeed(long)`. It hashes
/// a 20-byte state for output, then adds the output to the state.
#[derive(Clone, Debug)]
pub struct Sha1Prng {
    state: [u8; 20],
    /// Words of four bytes, the least that a draw takes.
    output: [u32; 5],
    /// The number of used words of `output`.
    used: usize,
}

impl Sha1Prng {
    /// Returns the generator for a game seed. Java ignores the seed 0 and takes one from the
    /// operating system; here it is an ordinary seed.
    pub fn new(seed: i64) -> Sha1Prng {
        Sha1Prng {
            state: Sha1::digest(seed.to_le_bytes()).into(),
            output: [0; 5],
            used: 5,
        }
    }

    /// Returns the next four bytes of the sequence, the first one highest.
    pub fn next32(&mut self) -> u32 {
        if self.used == self.output.len() {
            self.refill();
        }
        self.used += 1;
        self.output[self.used - 1]
    }

    fn refill(&mut self) {
        let output: [u8; 20] = Sha1::digest(self.state).into();
        for (word, bytes) in self.output.iter_mut().zip(output.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        self.used = 0;
        // state + output + 1, with Java's signed bytes: the carry can be 0, -1 or -2.
        let mut carry = 1;
        let before = self.state;
        for (state, output) in self.state.iter_mut().zip(output) {
            let sum = i32::from(state.cast_signed()) + i32::from(output.cast_signed()) + carry;
            *state = (sum & 0xFF) as u8;
            carry = sum >> 8;
        }
        if self.state == before {
            self.state[0] = self.state[0].wrapping_add(1);
        }
    }
}

impl Generator for Sha1Prng {
    fn next31(&mut self) -> u32 {
        self.next32() >> 1
    }
}

/// Sebastiano Vigna's `SplitMix64`, for every draw that no original referee fixes.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Returns the generator whose first output is the finalizer of `seed` plus one step.
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    /// Returns the next 64 random bits.
    pub fn next64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Generator for SplitMix64 {
    fn next31(&mut self) -> u32 {
        (self.next64() >> 33) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(rng: &mut impl Generator, bound: u32, count: usize) -> Vec<u32> {
        (0..count).map(|_| rng.next_int(bound)).collect()
    }

    fn shuffled(rng: &mut impl Generator) -> [u8; 14] {
        let mut list = std::array::from_fn(|index| index as u8);
        shuffle(&mut list, rng);
        list
    }

    #[test]
    fn sha1prng_draws_the_published_numbers() {
        let vectors: [(i64, [u32; 10]); 6] = [
            (1, [4, 3, 4, 5, 2, 5, 2, 4, 4, 1]),
            (42, [2, 1, 3, 4, 3, 1, 0, 0, 4, 0]),
            (-1, [2, 1, 5, 4, 0, 0, 0, 2, 1, 5]),
            (123_456_789_012_345, [0, 0, 3, 0, 0, 1, 0, 0, 3, 5]),
            (i64::MIN, [5, 1, 3, 4, 0, 5, 5, 5, 4, 3]),
            (256, [1, 3, 4, 2, 3, 1, 0, 3, 2, 3]),
        ];
        for (seed, expected) in vectors {
            assert_eq!(
                draws(&mut Sha1Prng::new(seed), 6, 10),
                expected,
                "seed {seed}"
            );
        }
        let powers_of_two: [(i64, [u32; 6]); 4] = [
            (1, [4, 6, 3, 6, 2, 1]),
            (42, [6, 5, 1, 3, 1, 5]),
            (-1, [5, 2, 0, 4, 1, 6]),
            (123_456_789_012_345, [4, 2, 1, 3, 5, 4]),
        ];
        for (seed, expected) in powers_of_two {
            assert_eq!(
                draws(&mut Sha1Prng::new(seed), 8, 6),
                expected,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn sha1prng_shuffles_as_published() {
        let first: [(i64, [u8; 14]); 6] = [
            (1, [7, 1, 8, 13, 10, 11, 0, 3, 12, 6, 9, 4, 5, 2]),
            (42, [8, 0, 1, 10, 13, 4, 12, 6, 9, 7, 5, 3, 11, 2]),
            (-1, [13, 12, 2, 9, 11, 1, 7, 8, 3, 4, 0, 5, 10, 6]),
            (
                123_456_789_012_345,
                [7, 9, 0, 1, 2, 11, 12, 8, 4, 10, 13, 3, 5, 6],
            ),
            (i64::MIN, [13, 11, 9, 10, 6, 4, 1, 0, 8, 12, 5, 3, 2, 7]),
            (256, [0, 10, 13, 5, 9, 12, 7, 8, 11, 1, 6, 4, 2, 3]),
        ];
        for (seed, expected) in first {
            assert_eq!(shuffled(&mut Sha1Prng::new(seed)), expected, "seed {seed}");
        }
        let second: [(i64, [u8; 14]); 4] = [
            (1, [10, 11, 8, 4, 13, 5, 0, 7, 9, 2, 6, 1, 3, 12]),
            (42, [7, 4, 10, 6, 9, 12, 0, 8, 1, 13, 3, 5, 2, 11]),
            (-1, [3, 2, 10, 9, 1, 0, 7, 6, 13, 4, 8, 5, 12, 11]),
            (
                123_456_789_012_345,
                [0, 13, 5, 3, 8, 6, 9, 2, 10, 1, 4, 12, 7, 11],
            ),
        ];
        for (seed, expected) in second {
            let mut rng = Sha1Prng::new(seed);
            shuffled(&mut rng);
            assert_eq!(shuffled(&mut rng), expected, "seed {seed}");
        }
    }

    #[test]
    fn sha1prng_yields_the_published_bytes() {
        let vectors = [
            (
                1,
                "96cb4cedc6d78a4666351950dd1d06af55611874210658966039dee8335b88fddbe32e69e815b79bbb18ccd41e378126",
            ),
            (
                42,
                "d50ac288b90ede2e311b02376bca7c702fb62a27ba1a100ecb1e7ec5d79bbdbd038e19c067787310b2f7e00c11e1dbe5",
            ),
            (
                -1,
                "bde848494a8671e61d7d572b9c9dcbd42e4fccb8d505b75977b593fd3a48c294a38e7dbf0910e61658c38872eb84d638",
            ),
        ];
        for (seed, expected) in vectors {
            let mut rng = Sha1Prng::new(seed);
            let words = [0; 12].map(|_| format!("{:08x}", rng.next32()));
            assert_eq!(words.concat(), expected, "seed {seed}");
        }
    }

    /// Draws an Onitama deal: eleven removals from sixteen cards, then four swaps.
    fn deal(rng: &mut JavaRandom) -> Vec<u32> {
        let mut pool: Vec<u32> = (0..16).collect();
        while pool.len() > 5 {
            pool.remove(rng.next_int(pool.len() as u32) as usize);
        }
        shuffle(&mut pool, rng);
        pool
    }

    #[test]
    fn java_random_is_bit_exact() {
        let mut rng = JavaRandom::new(42);
        let first: Vec<u32> = (0..4).map(|_| rng.next31()).collect();
        assert_eq!(
            first,
            [1_562_431_130, 117_392_763, 1_467_211_248, 102_948_884]
        );
        let numbers: [(i64, [i32; 5]); 2] = [
            (
                42,
                [
                    -1_170_105_035,
                    234_785_527,
                    -1_360_544_799,
                    205_897_768,
                    1_325_939_940,
                ],
            ),
            (
                0,
                [
                    -1_155_484_576,
                    -723_955_400,
                    1_033_096_058,
                    -1_690_734_402,
                    -1_557_280_266,
                ],
            ),
        ];
        for (seed, expected) in numbers {
            let mut rng = JavaRandom::new(seed);
            assert_eq!([0; 5].map(|_| rng.next_i32()), expected, "seed {seed}");
        }
        let states = [
            (0, 0x5_deec_e66d),
            (1, 0x5_deec_e66c),
            (-1, 0xfffa_2113_1992),
            (123_456_789_012_345, 0x704d_58e1_3914),
        ];
        for (seed, state) in states {
            assert_eq!(JavaRandom::new(seed).0, state, "seed {seed}");
        }
        let deals: [(i64, [u32; 5]); 6] = [
            (42, [13, 14, 0, 1, 9]),
            (0, [0, 10, 9, 3, 6]),
            (-1, [10, 9, 5, 3, 8]),
            // These three reject a draw, at the bounds 15, 13 and 3.
            (256_623_860_600_950, [14, 7, 12, 9, 2]),
            (130_979_900_318_151, [14, 8, 15, 12, 10]),
            (161_434_805_675_819, [12, 2, 7, 5, 4]),
        ];
        for (seed, expected) in deals {
            assert_eq!(deal(&mut JavaRandom::new(seed)), expected, "seed {seed}");
        }
        let mut rng = JavaRandom::new(10);
        assert_eq!(deal(&mut rng), [6, 4, 1, 7, 15]);
        assert_eq!(
            deal(&mut rng),
            [4, 11, 5, 2, 12],
            "the generator continues from deal to deal"
        );
    }

    #[test]
    fn splitmix64_gives_the_reference_sequence() {
        // The first outputs of the reference implementation for the seed 1234567.
        let mut rng = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| rng.next64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }
}
