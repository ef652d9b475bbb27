//! What comes over the border: arrays, texts, and places to write to. Those without an address are refused by name.

use crate::status::{Failure, Outcome, Status};
use std::ffi::{CStr, c_char};

/// An array of the caller's.
///
/// # Safety
/// Unless it is NULL, so many values lie at `array`, and stay as they are while the slice is used.
pub unsafe fn array<'a, T>(what: &str, array: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if array.is_null() || !array.is_aligned() || count > isize::MAX as usize / size_of::<T>() {
        return Err(Failure::invalid(format!(
            "{what} is no array of {count} values: its address is {array:?}"
        )));
    }
    // SAFETY: it has an address and a possible length, and the caller promises that the values are there.
    Ok(unsafe { std::slice::from_raw_parts(array, count) })
}

/// A text of the caller's.
///
/// # Safety
/// Unless it is NULL, `text` ends with a zero and stays as it is while it is used.
pub unsafe fn text<'a>(what: &str, text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::invalid(format!("{what} is NULL: give a text")));
    }
    // SAFETY: it has an address, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Failure::invalid(format!("{what} is not UTF-8")))
}

/// Writes a value to where the caller wants it.
///
/// # Safety
/// Unless it is NULL, `place` can be written to.
pub unsafe fn write<T>(what: &str, place: *mut T, value: T) -> Outcome {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::invalid(format!(
            "{what} is no place to write to: its address is {place:?}"
        )));
    }
    // SAFETY: it has an address, and the caller promises that it can be written to.
    unsafe { place.write(value) };
    Ok(())
}

/// Copies values to where the caller wants them, if there is room for all of them.
///
/// # Safety
/// Unless it is NULL, `capacity` values can be written to `place`.
pub unsafe fn copy<T: Copy>(what: &str, values: &[T], place: *mut T, capacity: usize) -> Outcome {
    if capacity < values.len() {
        let count = values.len();
        let message = format!("{what} has room for {capacity} values, and there are {count}");
        return Err(Failure::new(Status::TooSmall, message));
    }
    if values.is_empty() {
        return Ok(());
    }
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::invalid(format!(
            "{what} is no place to write to: its address is {place:?}"
        )));
    }
    // SAFETY: it has an address and room, which the caller promises can be written to; nobody else has lent it.
    unsafe { place.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(())
}
