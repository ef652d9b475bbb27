//! Elements and attributes of an XML file, with errors that name its lines.

use psmp_files::{FileError, Place};
use roxmltree::{Document, Node};
use std::path::Path;

/// The XML file that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct XmlFile<'a> {
    pub path: &'a Path,
}

/// How many signs that could be markup a file may have anyway, as lines under headings.
const SIGNS_ANYWAY: usize = 4096;

/// A text as it stands in an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\r' | '\t' => escaped += &format!("&#{};", u32::from(c)),
            c => escaped.push(c),
        }
    }
    escaped
}

impl XmlFile<'_> {
    pub fn parse<'t>(&self, text: &'t str) -> Result<Document<'t>, FileError> {
        // Room is made for an element at every `<` and for an attribute at every `=`, before any is
        // there. The shortest are `<a/>` and ` a=""`; beyond that it is no XML.
        for (sign, what) in [(b'<', "elements"), (b'=', "attributes")] {
            let signs = text.bytes().filter(|b| *b == sign).count();
            if signs > text.len() / 4 + SIGNS_ANYWAY {
                let problem = format!("is not well-formed XML: too short for its {what}");
                return Err(FileError::new(self.path, problem).hint("give an XML file"));
            }
        }
        Document::parse(text).map_err(|e| {
            FileError::new(self.path, format!("is not well-formed XML: {e}"))
                .at(Place::Line(e.pos().row as usize))
                .hint("correct the XML; a xacro file must be expanded first (`xacro in.xacro > out.urdf`)")
        })
    }

    /// The root element, which must have this name.
    pub fn root<'a>(
        &self,
        document: &'a Document<'a>,
        name: &str,
    ) -> Result<Node<'a, 'a>, FileError> {
        let root = document.root_element();
        if root.has_tag_name(name) {
            return Ok(root);
        }
        let found = root.tag_name().name();
        Err(self
            .wrong(
                root,
                format!("the root element is `{found}`, expected `{name}`"),
            )
            .hint(format!("give a file whose root element is `<{name}>`")))
    }

    /// Trouble with an element.
    pub fn wrong(&self, node: Node<'_, '_>, problem: impl Into<String>) -> FileError {
        let line = node.document().text_pos_at(node.range().start).row;
        FileError::new(self.path, problem).at(Place::Line(line as usize))
    }

    /// An attribute that must be there.
    pub fn attribute<'a>(&self, node: Node<'a, '_>, name: &str) -> Result<&'a str, FileError> {
        node.attribute(name).ok_or_else(|| {
            let tag = node.tag_name().name();
            self.wrong(node, format!("`<{tag}>` has no attribute `{name}`"))
                .hint(format!("add `{name}=\"...\"`"))
        })
    }

    /// A child element that must be there.
    pub fn child<'a, 't>(&self, node: Node<'a, 't>, name: &str) -> Result<Node<'a, 't>, FileError> {
        child(node, name).ok_or_else(|| {
            let tag = node.tag_name().name();
            self.wrong(node, format!("`<{tag}>` has no `<{name}>` in it"))
                .hint(format!("add a `<{name}>`"))
        })
    }

    /// A finite number.
    pub fn number(&self, node: Node<'_, '_>, name: &str) -> Result<f64, FileError> {
        let [value] = self.numbers(node, name)?;
        Ok(value)
    }

    /// A finite number if the attribute is there.
    pub fn number_if_there(
        &self,
        node: Node<'_, '_>,
        name: &str,
    ) -> Result<Option<f64>, FileError> {
        match node.has_attribute(name) {
            true => self.number(node, name).map(Some),
            false => Ok(None),
        }
    }

    /// As many finite numbers as asked for, separated by blanks.
    pub fn numbers<const N: usize>(
        &self,
        node: Node<'_, '_>,
        name: &str,
    ) -> Result<[f64; N], FileError> {
        let text = self.attribute(node, name)?;
        let values: Option<Vec<f64>> = text
            .split_whitespace()
            .map(|word| word.parse().ok().filter(|v: &f64| v.is_finite()))
            .collect();
        values
            .and_then(|values| <[f64; N]>::try_from(values).ok())
            .ok_or_else(|| {
                let many = match N {
                    1 => "one finite number".to_owned(),
                    n => format!("{n} finite numbers separated by blanks"),
                };
                self.wrong(node, format!("`{name}=\"{text}\"` is not {many}"))
                    .hint(format!("write {many}"))
            })
    }
}

/// The first child element of this name.
pub(crate) fn child<'a, 't>(node: Node<'a, 't>, name: &str) -> Option<Node<'a, 't>> {
    children(node, name).next()
}

/// All child elements of this name.
pub(crate) fn children<'a, 't: 'a>(
    node: Node<'a, 't>,
    name: &str,
) -> impl Iterator<Item = Node<'a, 't>> {
    node.children().filter(move |n| n.has_tag_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_without_end_is_no_xml() {
        let file = XmlFile {
            path: Path::new("r.urdf"),
        };
        for sign in ["<", "="] {
            let error = file.parse(&sign.repeat(100_000)).unwrap_err();
            assert!(error.to_string().contains("too short"), "{error}");
            assert!(error.remedy().is_some());
        }
        let densest = format!("<a>{}</a>", "<a/>".repeat(100_000));
        file.parse(&densest).unwrap();
        let ruled = format!("<!-- {} --><a/>", "=".repeat(80));
        file.parse(&ruled).unwrap();
    }
}
