//! The course of a sequential test, as `sprt.csv` tells it.

/// The log-likelihood ratio (LLR) of a sequential test, unit by unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SprtPath {
    /// The test is lost when the LLR falls to it; `None` where the file does not say.
    pub lower: Option<f64>,
    /// The test is won when the LLR rises to it.
    pub upper: Option<f64>,
    /// The number of the unit and the LLR after it.
    pub points: Vec<(u64, f64)>,
    /// How it stands at the end.
    pub state: SprtState,
}

/// How a sequential test stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum SprtState {
    /// No bound was reached.
    #[default]
    Undecided,
    /// The upper bound was reached: the bot passes.
    Accepted,
    /// The lower bound was reached: the bot does not pass.
    Rejected,
}

impl SprtPath {
    /// Reads `sprt.csv`. Columns are found by their names, `unit`, `llr`, `lower` and `upper`; a line that does not hold
    /// numbers there is left out, as is a last line that was not written to its end.
    #[must_use]
    pub fn parse(csv: &str) -> SprtPath {
        let whole = csv.rfind('\n').map_or("", |end| &csv[..=end]);
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole.as_bytes());
        let mut path = SprtPath::default();
        let Ok(headers) = reader.headers().cloned() else { return path };
        let column = |name: &str| headers.iter().position(|header| header.trim() == name);
        let (Some(unit), Some(llr)) = (column("unit"), column("llr")) else { return path };
        let (lower, upper) = (column("lower"), column("upper"));
        for row in reader.records().map_while(Result::ok) {
            let number = |at: Option<usize>| row.get(at?)?.trim().parse::<f64>().ok().filter(|value| value.is_finite());
            let unit = row.get(unit).and_then(|text| text.trim().parse().ok());
            let Some(point) = unit.zip(number(Some(llr))) else { continue };
            path.points.push(point);
            (path.lower, path.upper) = (number(lower).or(path.lower), number(upper).or(path.upper));
        }
        path.state = path.reached();
        path
    }

    /// Whether there was no test, or nothing of it is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The LLR after the last unit.
    #[must_use]
    pub fn last(&self) -> Option<f64> {
        self.points.last().map(|(_, llr)| *llr)
    }

    /// The first bound that was reached decides: a test that goes on after it says nothing new.
    fn reached(&self) -> SprtState {
        let state = |&(_, llr): &(u64, f64)| {
            let rejected = self.lower.is_some_and(|lower| llr <= lower);
            let accepted = self.upper.is_some_and(|upper| llr >= upper);
            if accepted { Some(SprtState::Accepted) } else { rejected.then_some(SprtState::Rejected) }
        };
        self.points.iter().find_map(state).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let path =
            SprtPath::parse("unit,games,llr,lower,upper,state\n0,2,0.5,-2.94,2.94,go on\n1,4,3,-2.94,2.94,x\n2,6");
        assert_eq!((path.lower, path.upper), (Some(-2.94), Some(2.94)));
        assert_eq!(path.points, [(0, 0.5), (1, 3.0)]);
        assert_eq!((path.state, path.last()), (SprtState::Accepted, Some(3.0)));
        let path = SprtPath::parse("llr, unit\nNaN,1\n-1.5,2\n");
        assert_eq!((path.points, path.state), (vec![(2, -1.5)], SprtState::Undecided));
        assert_eq!(SprtPath::parse("lower,llr,unit,upper\n-1,-2,0,1\n-1,2,1,1\n").state, SprtState::Rejected);
        for nothing in ["", "a,b\n1,2\n", "unit,llr\n", "unit,llr\n1,2"] {
            assert!(SprtPath::parse(nothing).is_empty(), "{nothing:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in r#"((unit|llr|lower|x|[-0-9."]{0,4}|\PC)[,\n]){0,40}"#) {
            let path = SprtPath::parse(&text);
            prop_assert!(path.points.iter().all(|(_, llr)| llr.is_finite()));
        }
    }
}
