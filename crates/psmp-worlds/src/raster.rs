//! Reading grey pictures without trusting what they say of themselves.
//!
//! A few bytes can declare a picture of many gigabytes. Before anything is decoded, the declared
//! size is held against the most that a file of this length can hold.

use image::{DynamicImage, GrayAlphaImage, ImageDecoder, ImageError, ImageReader, Limits};
use psmp_files::{FileError, read_regular};
use std::io::Cursor;
use std::path::Path;

/// No picture may have more pixels than this, however long its file is: a square of 11,000 or so.
/// White compresses so well that a picture of any size fits into a short file.
const MOST_PIXELS: u64 = 1 << 27;

/// No pixel takes more bytes: three colours and opacity, of 16 bits each.
pub(crate) const MOST_BYTES: u64 = MOST_PIXELS * 8;

/// The most bytes of picture a byte of PNG can make: deflate compresses at most 1032 to 1, and a
/// pixel of one bit becomes a byte.
const PNG_GROWTH: u64 = 1032 * 8;

/// The same for the PNM formats, which only pack bits.
const PNM_GROWTH: u64 = 8;

/// The same for JPEG: a block of 64 pixels takes a bit at least, and a pixel becomes up to four bytes.
const JPEG_GROWTH: u64 = 64 * 8 * 4;

/// What all decoders may use besides, for headers and buffers.
const SLACK: u64 = 1 << 20;

/// The luminance and opacity of a PNG, PGM (or other PNM) or JPEG picture.
///
/// # Errors
/// If the file cannot be read or is not such a picture, or not of the `expected` width and height.
pub(crate) fn read_grey(
    path: &Path,
    expected: Option<(u32, u32)>,
) -> Result<GrayAlphaImage, FileError> {
    // It may be another file that names this one.
    decode(path, &read_regular(path, MOST_BYTES)?, expected)
}

/// The same of a file's bytes; `path` is what an error names.
pub(crate) fn decode(
    path: &Path,
    bytes: &[u8],
    expected: Option<(u32, u32)>,
) -> Result<GrayAlphaImage, FileError> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| FileError::io(path, "read", e))?;
    let growth = match reader.format() {
        Some(image::ImageFormat::Png) => PNG_GROWTH,
        Some(image::ImageFormat::Pnm) => PNM_GROWTH,
        Some(image::ImageFormat::Jpeg) => JPEG_GROWTH,
        _ => {
            let problem = "expected a PNG, PGM or JPEG picture, found none of them";
            return Err(FileError::new(path, problem)
                .hint("convert the picture to an 8-bit grey PNG or PGM"));
        }
    };
    let most = (bytes.len() as u64)
        .saturating_mul(growth)
        .saturating_add(SLACK)
        .min(MOST_BYTES);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(most);
    reader.limits(limits);
    let broken = |e: ImageError| {
        FileError::new(path, format!("cannot decode the picture: {e}"))
            .hint("the file may be cut short or damaged; write it again as PNG or PGM")
    };
    let decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    if let Some((w, h)) = expected
        && (w, h) != (width, height)
    {
        return Err(FileError::new(
            path,
            format!("expected a picture of {w} x {h} pixels, found {width} x {height}"),
        )
        .hint("use the picture that belongs to this dataset, or give its true size"));
    }
    if width == 0 || height == 0 {
        return Err(
            FileError::new(path, "the picture has no pixels").hint("write it again as PNG or PGM")
        );
    }
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(FileError::new(
            path,
            format!("declares {width} x {height} pixels, at most {MOST_PIXELS} are read"),
        )
        .hint("scale the picture down, or cut it into parts"));
    }
    if decoder.total_bytes() > most {
        return Err(FileError::new(
            path,
            format!(
                "declares {width} x {height} pixels, more than a file of {} bytes can hold or than \
                 can be read",
                bytes.len()
            ),
        )
        .hint("the file may be cut short or damaged; write it again as PNG or PGM"));
    }
    let picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    Ok(picture.into_luma_alpha8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, ImageFormat};
    use proptest::prelude::*;

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        GrayImage::from_fn(7, 5, |x, y| image::Luma([(x * 30 + y * 7) as u8]))
            .write_to(&mut bytes, format)
            .unwrap();
        bytes.into_inner()
    }

    fn plain_pgm() -> Vec<u8> {
        b"P2\n# by hand\n3 2\n255\n0 128 255\n1 2 3\n".to_vec()
    }

    fn luminances(bytes: &[u8]) -> Result<Vec<u8>, FileError> {
        decode(Path::new("x"), bytes, None).map(|p| p.pixels().map(|p| p.0[0]).collect())
    }

    #[test]
    fn png_and_both_kinds_of_pgm_are_read() {
        let expected: Vec<u8> = (0..5)
            .flat_map(|y| (0..7).map(move |x| x * 30 + y * 7))
            .collect();
        assert_eq!(luminances(&encoded(ImageFormat::Png)).unwrap(), expected);
        assert_eq!(luminances(&encoded(ImageFormat::Pnm)).unwrap(), expected);
        let plain = luminances(&plain_pgm()).unwrap();
        assert_eq!(plain, [0, 128, 255, 1, 2, 3]);
    }

    #[test]
    fn jpeg_is_read_but_for_what_it_loses() {
        let expected = luminances(&encoded(ImageFormat::Png)).unwrap();
        let read = luminances(&encoded(ImageFormat::Jpeg)).unwrap();
        assert_eq!(read.len(), expected.len());
        let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) < 24;
        assert!(
            read.iter().zip(&expected).all(near),
            "{read:?} {expected:?}"
        );
    }

    #[test]
    fn a_declared_size_that_the_file_cannot_hold_is_refused() {
        for declared in ["60000 60000", "4294967295 4294967295", "0 5"] {
            for kind in ["P2", "P5"] {
                let text = format!("{kind}\n{declared}\n255\n1 2 3\n");
                assert!(luminances(text.as_bytes()).is_err(), "{text}");
            }
        }
        let mut png = encoded(ImageFormat::Png);
        // Width and height stand in the first chunk, followed by its checksum.
        png[16..24].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
        assert!(luminances(&png).is_err());
        let mut jpeg = encoded(ImageFormat::Jpeg);
        // Height and width stand in the header of the frame, behind its length and precision.
        let frame = jpeg.windows(2).position(|w| w == [0xFF, 0xC0]).unwrap();
        jpeg[frame + 5..frame + 9].copy_from_slice(&[0xEA, 0x60, 0xEA, 0x60]);
        assert!(luminances(&jpeg).is_err());
    }

    #[test]
    fn a_picture_that_unpacks_to_more_than_can_be_used_is_refused() {
        // A byte for eight pixels, so that the file itself is long enough to hold them all.
        let side = 11_600;
        let mut bits = format!("P4\n{side} {side}\n").into_bytes();
        bits.resize(bits.len() + side * side / 8, 0);
        let error = luminances(&bits).unwrap_err();
        assert!(error.to_string().contains("at most"), "{error}");
        assert!(error.remedy().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_not_read() {
        let error = read_grey(Path::new("/dev/zero"), None).unwrap_err();
        assert!(error.to_string().contains("regular"), "{error}");
        assert!(error.remedy().is_some());
    }

    #[test]
    fn other_formats_and_other_sizes_are_named() {
        let error = luminances(b"GIF89a and more than that").unwrap_err();
        assert!(error.to_string().contains("PNG, PGM or JPEG"), "{error}");
        let error = decode(Path::new("x"), &plain_pgm(), Some((3, 3))).unwrap_err();
        assert!(error.to_string().contains("3 x 3"), "{error}");
        assert!(error.to_string().contains("3 x 2"), "{error}");
    }

    #[test]
    fn a_cut_file_is_an_error() {
        for whole in [encoded(ImageFormat::Png), encoded(ImageFormat::Pnm)] {
            for length in 0..whole.len() / 2 {
                assert!(luminances(&whole[..length]).is_err(), "{length}");
            }
        }
    }

    proptest! {
        #[test]
        fn mutations_never_panic(
            which in 0usize..4,
            cut in 0usize..200,
            flips in prop::collection::vec((0usize..200, any::<u8>()), 0..6),
        ) {
            let mut bytes = match which {
                0 => encoded(ImageFormat::Png),
                1 => encoded(ImageFormat::Pnm),
                2 => encoded(ImageFormat::Jpeg),
                _ => plain_pgm(),
            };
            for (at, value) in flips {
                let at = at % bytes.len();
                bytes[at] = value;
            }
            bytes.truncate(cut.max(1));
            let _ = luminances(&bytes);
        }
    }
}
