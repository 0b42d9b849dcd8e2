//! The table of the library: name, parameters, group. The checker of programs and the book read it.

/// The group of a procedure: what it asks of a machine that works on many rows and columns at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryGroup {
    /// A critical operation in every column.
    CriticalSearch,
    /// No critical operation, columns in sequence.
    Search,
    /// Columns in sequence, and the slice of carries tested by the caller.
    Arithmetic,
    /// Columns at once.
    Copying,
}

/// The kind of a parameter of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A slice.
    Slice,
    /// A word, as long as the tables of the procedure are wide.
    Word,
    /// A table as wide as others of the procedure.
    Table,
    /// A table that the procedure sees a band of.
    WideTable,
    /// A whole number.
    Number,
}

/// A parameter of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibraryParameter {
    /// Name in texts.
    pub name: &'static str,
    /// Kind of value.
    pub kind: ParameterKind,
    /// Whether the procedure changes the variable that is given.
    pub is_result: bool,
}

/// The procedures of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of the table, which says what each does")]
pub enum LibraryProcedure {
    Min,
    Max,
    Match,
    Less,
    Great,
    Gel,
    Hit,
    Setmin,
    Setmax,
    Addv,
    Subtv,
    Addc,
    Addc1,
    Subtc,
    Subtc1,
    Clear,
    Wcopy,
    Wmerge,
    Tcopy,
    Tcopy1,
    Tcopy2,
    Tmerge,
}

const fn given(name: &'static str, kind: ParameterKind) -> LibraryParameter {
    LibraryParameter { name, kind, is_result: false }
}

const fn result(name: &'static str, kind: ParameterKind) -> LibraryParameter {
    LibraryParameter { name, kind, is_result: true }
}

const T: LibraryParameter = given("T", ParameterKind::Table);
const R: LibraryParameter = given("R", ParameterKind::Table);
const F: LibraryParameter = given("F", ParameterKind::Table);
const X: LibraryParameter = given("X", ParameterKind::Slice);
const V: LibraryParameter = given("v", ParameterKind::Word);
const J: LibraryParameter = given("j", ParameterKind::Number);
const H: LibraryParameter = given("h", ParameterKind::Number);
const WIDE: LibraryParameter = given("T", ParameterKind::WideTable);
const TO_Y: LibraryParameter = result("Y", ParameterKind::Slice);
const TO_Z: LibraryParameter = result("Z", ParameterKind::Slice);
const TO_B: LibraryParameter = result("B", ParameterKind::Slice);
const TO_F: LibraryParameter = result("F", ParameterKind::Table);
const TO_S: LibraryParameter = result("S", ParameterKind::Table);
const TO_WIDE: LibraryParameter = result("F", ParameterKind::WideTable);

/// Row of the table: name, group, parameters, what the procedure does.
type Row =
    (LibraryProcedure, &'static str, LibraryGroup, &'static [LibraryParameter], &'static str);

const TABLE: [Row; 22] = {
    use LibraryGroup::{Arithmetic, Copying, CriticalSearch, Search};
    use LibraryProcedure as P;
    [
        (P::Min, "MIN", CriticalSearch, &[T, X, TO_Z], "Z := the rows of X with the least number"),
        (
            P::Max,
            "MAX",
            CriticalSearch,
            &[T, X, TO_Z],
            "Z := the rows of X with the greatest number",
        ),
        (P::Match, "MATCH", Search, &[T, X, V, TO_Z], "Z := the rows of X equal to v"),
        (P::Less, "LESS", Search, &[T, X, V, TO_Y], "Y := the rows of X less than v"),
        (P::Great, "GREAT", Search, &[T, X, V, TO_Y], "Y := the rows of X greater than v"),
        (
            P::Gel,
            "GEL",
            Search,
            &[T, V, TO_Y, TO_Z],
            "Y := all rows greater than v, Z := all rows less",
        ),
        (P::Hit, "HIT", Search, &[T, F, X, TO_Z], "Z := the rows of X equal in T and F"),
        (P::Setmin, "SETMIN", Search, &[T, F, X, TO_Z], "Z := the rows of X less in T than in F"),
        (
            P::Setmax,
            "SETMAX",
            Search,
            &[T, F, X, TO_Z],
            "Z := the rows of X greater in T than in F",
        ),
        (
            P::Addv,
            "ADDV",
            Arithmetic,
            &[T, R, X, TO_S, TO_B],
            "S := T + R in rows of X, 0 in others",
        ),
        (
            P::Subtv,
            "SUBTV",
            Arithmetic,
            &[T, R, X, TO_S, TO_B],
            "S := T - R in rows of X, 0 in others",
        ),
        (
            P::Addc,
            "ADDC",
            Arithmetic,
            &[T, X, V, TO_F, TO_B],
            "F := T + v in rows of X, 0 in others",
        ),
        (
            P::Addc1,
            "ADDC1",
            Arithmetic,
            &[T, X, V, TO_F, TO_B],
            "F := T + v in rows of X, T in others",
        ),
        (
            P::Subtc,
            "SUBTC",
            Arithmetic,
            &[T, X, V, TO_F, TO_B],
            "F := T - v in rows of X, 0 in others",
        ),
        (
            P::Subtc1,
            "SUBTC1",
            Arithmetic,
            &[T, X, V, TO_F, TO_B],
            "F := T - v in rows of X, T in others",
        ),
        (
            P::Clear,
            "CLEAR",
            Copying,
            &[given("k", ParameterKind::Number), TO_WIDE],
            "zeros in columns 1 to k of F",
        ),
        (P::Wcopy, "WCOPY", Copying, &[V, X, TO_F], "F := v in rows of X, 0 in others"),
        (P::Wmerge, "WMERGE", Copying, &[V, X, TO_F], "v into the rows of X of F"),
        (P::Tcopy, "TCOPY", Copying, &[T, TO_F], "F := T"),
        (P::Tcopy1, "TCOPY1", Copying, &[WIDE, J, H, TO_F], "F := band j of T, h columns"),
        (P::Tcopy2, "TCOPY2", Copying, &[T, J, H, TO_WIDE], "band j of F := T, h columns"),
        (P::Tmerge, "TMERGE", Copying, &[T, X, TO_F], "the rows of X of T into F"),
    ]
};

impl LibraryProcedure {
    /// Returns all procedures, by group.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    /// Returns the procedure of this name, in capitals.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns the name, in capitals.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the group.
    pub fn group(self) -> LibraryGroup {
        TABLE[self as usize].2
    }

    /// Returns the parameters, in their order.
    pub fn parameters(self) -> &'static [LibraryParameter] {
        TABLE[self as usize].3
    }

    /// Returns in a few words what the procedure does.
    pub fn summary(self) -> &'static str {
        TABLE[self as usize].4
    }

    /// Returns how a call is written: `MIN(T, X, Z)`.
    pub fn call(self) -> String {
        let names: Vec<_> = self.parameters().iter().map(|parameter| parameter.name).collect();
        format!("{}({})", self.name(), names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_procedures() {
        for (place, procedure) in LibraryProcedure::all().enumerate() {
            assert_eq!(procedure as usize, place);
            assert_eq!(LibraryProcedure::from_name(procedure.name()), Some(procedure));
        }
    }
}
