//! Damage, the same for the same seed.
//!
//! A mutant is a sound file changed in one to four places, by what disks and hasty programs do (bits
//! flipped, ends cut off, pieces lost, doubled or swapped) and by what one would do who wants a
//! reader to fail: numbers that programs stumble over in the place of others, brackets opened
//! without end, one piece repeated until the file is large.

use rand::RngExt;
use rand_pcg::Pcg64;

/// How large a file may become by repeating a piece of it.
const LARGE: usize = 1 << 17;

/// Numbers that programs stumble over, as text.
const WORDS: [&str; 24] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "255",
    "256",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "99999999999",
    "9223372036854775808",
    "18446744073709551615",
    "1e20",
    "-1e20",
    "1e308",
    "1e-320",
    "1e999",
    "nan",
    ".inf",
    "-inf",
];

/// The same, as the words of a binary file.
const BINARY: [u64; 14] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    1 << 40,
    1 << 60,
    0x7ff0_0000_0000_0000, // Infinity, as a float.
    u64::MAX,
];

/// What opens a level in one of the formats.
const OPENING: [&str; 10] = [
    "[", "{", "(", "<a>", "{\"a\":", "- ", "a:\n ", "&a [*a,", "<!--", "\"",
];

/// The mutant of this number of some sound files.
#[must_use]
pub fn mutant(sound: &[Vec<u8>], seed: u64, index: u64) -> Vec<u8> {
    let mut random = Pcg64::new(u128::from(seed), u128::from(index));
    let mut bytes = chosen(sound, &mut random).clone();
    for _ in 0..random.random_range(1..=4) {
        change(&mut bytes, sound, &mut random);
    }
    bytes
}

fn chosen<'a, T>(from: &'a [T], random: &mut Pcg64) -> &'a T {
    &from[random.random_range(0..from.len())]
}

/// Changes one place.
fn change(bytes: &mut Vec<u8>, sound: &[Vec<u8>], random: &mut Pcg64) {
    if bytes.is_empty() {
        bytes.push(random.random());
    }
    let at = random.random_range(0..bytes.len());
    let end = (at + random.random_range(1..=64)).min(bytes.len());
    match random.random_range(0..16) {
        0 | 1 => bytes[at] ^= 1 << random.random_range(0..8),
        2 => bytes[at] = *chosen(b"\0\x01\x7f\x80\xff\n -.\"<>:#", random),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..end)),
        5 => {
            let piece = bytes[at..end].to_vec();
            let to = random.random_range(0..=bytes.len());
            bytes.splice(to..to, piece);
        }
        6 => drop(bytes.splice(at..at, random.random::<[u8; 8]>())),
        7 => {
            // The beginning of one file and the end of another.
            let other = chosen(sound, random);
            let from = random.random_range(0..=other.len());
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
        8..=11 => {
            if let Some(number) = number_after(bytes, at) {
                bytes.splice(number, chosen(&WORDS, random).bytes());
            }
        }
        12 | 13 => {
            let word = chosen(&BINARY, random).to_le_bytes();
            let width = *chosen(&[1, 2, 4, 8], random);
            let mut word = word[..width].to_vec();
            if random.random_ratio(1, 4) {
                word.reverse();
            }
            let end = (at + width).min(bytes.len());
            bytes.splice(at..end, word);
        }
        14 => {
            let levels = 1 << random.random_range(0..14);
            bytes.splice(at..at, chosen(&OPENING, random).repeat(levels).bytes());
        }
        _ => {
            // One in eight becomes a large file.
            let most = match random.random_ratio(1, 8) {
                true => LARGE,
                false => 256,
            };
            let piece = bytes[at..end].to_vec();
            let times = (most / piece.len()).max(2);
            bytes.splice(at..end, piece.repeat(times));
        }
    }
}

/// Where the next number of a text stands, from `at` on.
fn number_after(bytes: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let begin = at + bytes[at..].iter().position(is_digit)?;
    let part = |b: &&u8| b.is_ascii_digit() || b".eE+-".contains(b);
    Some(begin..begin + bytes[begin..].iter().take_while(part).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_mutants() {
        let sound = [b"NumVertices: 12\n1 2 0.5\n".to_vec(), vec![0; 40]];
        let mutants = |seed| -> Vec<_> { (0..300).map(|i| mutant(&sound, seed, i)).collect() };
        assert_eq!(mutants(1), mutants(1));
        assert_ne!(mutants(1), mutants(2));
        let changed = mutants(1).iter().filter(|m| !sound.contains(m)).count();
        assert!(changed > 280, "{changed}");
    }

    #[test]
    fn a_number_is_found_whole() {
        assert_eq!(number_after(b"x: -1.5e-3, 2", 1), Some(4..10));
        assert_eq!(number_after(b"none", 0), None);
    }
}
