//! What reports can show: tables, charts, tones and words. It knows no game, no file and no kind of
//! run.

pub(crate) mod chart;
pub(crate) mod table;
pub(crate) mod words;

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// No colour.
    #[default]
    Plain,
    /// Important, without a judgement.
    Strong,
    /// A verdict for the bot.
    Good,
    /// A verdict against the bot, a fault, an error.
    Bad,
    /// An open verdict, a warning.
    Open,
    /// Less important than others.
    Faint,
}
