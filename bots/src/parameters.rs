//! The parameters of an evaluation, by name.

use std::fmt::Debug;

/// A parameter of the evaluation `W`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<W> {
    /// The name.
    pub name: &'static str,
    /// The default value.
    pub default: i32,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its place in the evaluation.
    pub slot: fn(&mut W) -> &mut i32,
}

/// Values for all parameters of an evaluation.
pub trait Parameters: Clone + Debug + Default + Send + Sync + 'static {
    /// Every parameter; at least one.
    const ALL: &'static [Parameter<Self>];

    /// Sets every parameter to its default.
    fn reset(&mut self) {
        for parameter in Self::ALL {
            *(parameter.slot)(self) = parameter.default;
        }
    }
}

/// A name that no parameter has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the parameter `{name}`: did you mean `{nearest}`? Known are {known}")]
pub struct UnknownParameter {
    /// The given name.
    pub name: String,
    /// The most similar known name.
    pub nearest: &'static str,
    /// All known names.
    pub known: String,
}

impl<W: Parameters> Parameter<W> {
    /// Returns the parameter with this name.
    ///
    /// # Errors
    /// [`UnknownParameter`] if there is none.
    pub fn find(name: &str) -> Result<&'static Parameter<W>, UnknownParameter> {
        W::ALL
            .iter()
            .find(|parameter| parameter.name == name)
            .ok_or_else(|| unknown::<W>(name))
    }
}

fn unknown<W: Parameters>(name: &str) -> UnknownParameter {
    let names: Vec<&'static str> = W::ALL.iter().map(|parameter| parameter.name).collect();
    // The name with the smallest number of typing errors.
    let distance = |known: &&str| strsim::damerau_levenshtein(known, name);
    let nearest = names
        .iter()
        .copied()
        .min_by_key(distance)
        .unwrap_or_default();
    UnknownParameter {
        name: name.to_owned(),
        nearest,
        known: names.join(", "),
    }
}
