//! Angles of the coefficients, and the registers that hold them. When they are set is in `phase`.

/// Full turn of the coefficient angle.
pub(super) const TURN: i64 = 65536;

/// Returns the step of the angle within a block of butterflies of a substage, counted from 1, in 1/65536 of a turn.
pub(super) fn step(substage: usize) -> i64 {
    -(TURN >> substage)
}

/// Returns the first angle of a group in a substage, in 1/65536 of a turn: -p / (of * 2^substage) turns.
pub(super) fn base(p: i64, of: i64, substage: usize) -> i64 {
    -(TURN * p) / (of << substage)
}

/// Returns the 16 bits of an angle as the assembler takes them.
pub(super) fn immediate(angle: i64) -> String {
    format!("{:#06x}", angle.rem_euclid(TURN))
}

/// Angles of the coefficients that registers hold.
pub(super) struct Constants {
    /// Angle and the register that holds it.
    known: Vec<(i64, String)>,
}

impl Constants {
    /// Deals registers to the angles: `general` general registers from g3 on, then index
    /// registers. The angles that are left over are set where they are needed. Also returns the
    /// operations that fill the registers.
    pub(super) fn new(angles: impl Iterator<Item = i64>, general: usize) -> (Self, Vec<String>) {
        let mut known: Vec<(i64, String)> = Vec::new();
        let mut setup = Vec::new();
        for angle in angles {
            if known.iter().any(|(a, _)| *a == angle) {
                continue;
            }
            let value = immediate(angle);
            match known.len() {
                n if n < general => {
                    setup.push(format!("seti g{}, {value}", n + 3));
                    known.push((angle, format!("g{}", n + 3)));
                }
                n if n < general + 16 => {
                    setup.push(format!("seti g15, {value}"));
                    setup.push(format!("move i{}, g15", n - general));
                    known.push((angle, format!("i{}", n - general)));
                }
                _ => break,
            }
        }
        (Self { known }, setup)
    }

    pub(super) fn register(&self, angle: i64) -> Option<&str> {
        self.known.iter().find(|(a, _)| *a == angle).map(|(_, r)| r.as_str())
    }
}
