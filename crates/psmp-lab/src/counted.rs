//! Numbers of things in words: one edge, two edges.

use std::fmt::Display;

/// So many things, which are named in the plural: `1 edge` and `2 edges` for "edges", `1 vertex` for
/// "vertices".
#[must_use]
pub fn counted<N: Display + PartialEq + From<u8>>(number: N, things: &str) -> String {
    if number != N::from(1) {
        return format!("{number} {things}");
    }
    match things.strip_suffix("ices") {
        Some(stem) => format!("1 {stem}ex"),
        None => format!("1 {}", things.strip_suffix('s').unwrap_or(things)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(0_usize, "motions"), "0 motions");
        assert_eq!(counted(1_u64, "motions"), "1 motion");
        assert_eq!(counted(1_usize, "vertices"), "1 vertex");
        assert_eq!(counted(2_u32, "vertices"), "2 vertices");
    }
}
