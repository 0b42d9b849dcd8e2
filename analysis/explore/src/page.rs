//! The page: the live one, which asks the server, and the shared one, which has all answers in it and needs no server.

use crate::explorer::{Explorer, ExplorerStart};
use crate::running::causes;
use crate::text_file::mark;
use crate::wish::ExploreWish;
use cp2_asm::sched::Interrupt;
use cp2_document::html::{escaped, filled, in_script};
use cp2_isa::machine::{Key, MachineConfig, PRESETS, TOGGLES, Toggle};
use serde_json::{Value, json};

/// Scripts of the page, in the order in which they use each other.
const SCRIPTS: [&str; 6] = [
    include_str!("../page/base.js"),
    include_str!("../page/editor.js"),
    include_str!("../page/schedule.js"),
    include_str!("../page/cycles.js"),
    include_str!("../page/machines.js"),
    include_str!("../page/explorer.js"),
];

impl Explorer {
    /// Returns the page that asks this explorer; scripts and styles have a number that is used once.
    pub(crate) fn live_page(&self, nonce: &str) -> String {
        // The file may be another one than when the explorer was started.
        let file = self.host().read().ok().flatten();
        let mark = file.as_deref().map(mark).unwrap_or_default();
        let text = file.unwrap_or_else(|| self.start().text.clone());
        let wish = ExploreWish { text, ..self.first_wish() };
        self.page(&wish, (nonce, &mark), &Value::Null)
    }

    /// Returns a page with the text of a wish and all that is to be told of it, which needs no server and no other file.
    pub fn shared_page(&self, wish: &ExploreWish) -> String {
        let mut stages = Vec::new();
        self.explore(wish, &Interrupt::new(), &mut |stage| stages.push(stage));
        self.page(wish, ("", ""), &json!(stages))
    }

    fn page(&self, wish: &ExploreWish, (nonce, mark): (&str, &str), shared: &Value) -> String {
        let ExplorerStart { file, machines, .. } = self.start();
        let name = file.as_deref().unwrap_or("untitled.s");
        let short = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let data = json!({
            "name": short,
            "path": name,
            "can_save": file.is_some() && shared.is_null(),
            "mark": mark,
            "wish": wish,
            "machines": machines,
            "extensions": extensions(),
            "keys": keys(),
            "causes": causes(),
            "version": env!("CARGO_PKG_VERSION"),
            "shared": shared,
        });
        let (title, data) = (escaped(short), in_script(&data));
        let script = SCRIPTS.concat();
        filled(
            include_str!("../page/page.html"),
            &[
                ("@TITLE@", &title),
                ("@NONCE@", nonce),
                (
                    "@CSS@",
                    concat!(include_str!("../page/page.css"), include_str!("../page/panels.css")),
                ),
                ("@JS@", &script),
                ("@DATA@", &data),
            ],
        )
    }
}

/// Returns the extensions of the core, each with what it takes.
fn extensions() -> Value {
    let row = |toggle: &Toggle| {
        let size = toggle.size().map(|(_, least)| least.next_power_of_two());
        json!({ "name": toggle.name, "summary": toggle.summary, "size": size })
    };
    TOGGLES.iter().map(row).collect()
}

/// Returns the numbers of the core that can be changed, each with its value on CP2.
fn keys() -> Value {
    let plain = MachineConfig::preset(PRESETS[0].0);
    let row = |key: Key| {
        let info = key.info();
        json!({
            "name": key.to_string(),
            "text": info.description,
            "takes": info.kind.to_string(),
            "value": plain.as_ref().map(|machine| machine.value(key)),
        })
    };
    Key::ALL.into_iter().filter(|key| key.is_of_core()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_those_that_can_be_switched_on() {
        for row in extensions().as_array().expect("rows") {
            let name = row["name"].as_str().expect("a name");
            let text = match row["size"].as_u64() {
                Some(size) => format!("{name}={size}"),
                None => name.to_owned(),
            };
            text.parse::<cp2_isa::machine::Switch>().expect("a switch");
        }
    }
}
