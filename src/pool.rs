//! Bots that are kept in a folder, the tries of new ones, and which is the best.

#[cfg_attr(not(test), expect(dead_code, reason = "no verb keeps bots yet"))]
mod keep;
