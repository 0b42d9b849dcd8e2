//! The topology files that come with the program.

/// Names and texts of the files.
pub const FILES: [(&str, &str); 7] = [
    ("formula", include_str!("../../topologies/formula.toml")),
    ("vm9-torus", include_str!("../../topologies/vm9-torus.toml")),
    ("vm9-ports", include_str!("../../topologies/vm9-ports.toml")),
    ("vm9-chips", include_str!("../../topologies/vm9-chips.toml")),
    ("vm7-torus", include_str!("../../topologies/vm7-torus.toml")),
    ("vm7-pair", include_str!("../../topologies/vm7-pair.toml")),
    ("vm7-switch", include_str!("../../topologies/vm7-switch.toml")),
];

/// Returns the text of a file by its name, with `.toml` behind it or without; `None` if there is none.
pub fn text(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(".toml").unwrap_or(name);
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
