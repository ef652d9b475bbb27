//! What is checked, and the formats it comes in.
