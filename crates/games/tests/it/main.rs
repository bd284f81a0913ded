//! The rules of the games, through the public interface of the crate.

mod games;
mod kutulu;
mod minishogi_text;
mod onitama;
mod shogi;
