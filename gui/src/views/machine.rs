//! Machine of the next run, its numbers and toggles, or the picture of what moves in it. What differs from the run that is shown stands out.

use crate::model::session::Session;
use crate::theme::{Theme, mono};
use crate::views::{flows, parts};
use crate::worker::{Settings, config_of};
use cp2_emu::machine::{Key, KeyKind, MachineConfig, PRESETS};
use cp2_isa::machine::{TOGGLES, Toggle};
use egui::{ComboBox, DragValue, Grid, RichText, ScrollArea, Ui};

pub(crate) fn show(ui: &mut Ui, session: &mut Session) {
    let theme = Theme::of(ui.visuals());
    let shown = session
        .run
        .as_ref()
        .and_then(|run| run.info())
        .map(|info| (info.core, info.config.clone()));
    let Some((core, config)) = shown else { return };
    if let Some(is_at_cursor) = flows::choice(ui) {
        return flows::show(ui, session, is_at_cursor);
    }
    let is_run = choice(ui, theme, session);
    let chosen = match config_of(&session.machine) {
        Ok(chosen) => chosen,
        Err(why) => {
            ui.label(RichText::new(why.detail).color(theme.hue(crate::model::palette::Hue::Worse)));
            session.machine.set.pop();
            return;
        }
    };
    let Settings { enable, set, .. } = &session.machine;
    let enable = enable.iter().map(|name| format!("--enable {name}"));
    let options: Vec<String> = enable.chain(set.iter().map(|set| format!("--set {set}"))).collect();
    if !options.is_empty() {
        ui.label(RichText::new(options.join(" ")).font(mono(12.0)).color(theme.accent()));
    }
    let plain = config_of(&Settings { set: Vec::new(), ..session.machine.clone() }).ok();
    let has_machine = session.machine.machine.is_some();
    let before = |key: Key| match &config {
        Some(config) => Some(config.value(key)),
        None => core
            .numbers()
            .with_keys()
            .into_iter()
            .find(|(known, _)| *known == key)
            .map(|(_, value)| value),
    };
    ScrollArea::vertical().auto_shrink([false, false]).id_salt("numbers").show(ui, |ui| {
        for section in Key::sections() {
            // Nothing that is shown here depends on the numbers of the control processor.
            let is_of_control = section == "control";
            if section == "extensions" {
                extensions(ui, theme, has_machine, &mut session.machine);
                continue;
            }
            if section != "core" && !has_machine || is_of_control {
                continue;
            }
            parts::caption(ui, &format!("Section [{section}] of the machine file"));
            Grid::new(section).num_columns(3).striped(true).spacing([16.0, 4.0]).show(ui, |ui| {
                for key in Key::ALL.into_iter().filter(|key| key.info().section == section) {
                    number(ui, theme, key, &chosen, before(key), &plain, &mut session.machine);
                    ui.end_row();
                }
            });
            ui.add_space(6.0);
        }
    });
    if is_run {
        session.run_again();
    }
}

/// Shows the extensions of the architecture, which `--enable` switches on. One that the machine refuses cannot be
/// switched, and tells why.
fn extensions(ui: &mut Ui, theme: Theme, has_machine: bool, settings: &mut Settings) {
    parts::caption(ui, "Extensions of the architecture (--enable)");
    Grid::new("extensions").num_columns(2).striped(true).spacing([16.0, 4.0]).show(ui, |ui| {
        // Without a machine there is no channel and no system memory.
        let is_core = |toggle: &&Toggle| {
            has_machine || toggle.extension().is_some() || toggle.name == "larger-local-memory"
        };
        for toggle in TOGGLES.iter().filter(is_core) {
            let before = is_enabled(settings, toggle);
            let switched = switched(settings, toggle, !before);
            let refusal = config_of(&switched).err().map(|failure| failure.detail);
            let mut is_on = before;
            let text = RichText::new(toggle.name).font(mono(12.0));
            let text = text.color(if before { theme.accent() } else { theme.text });
            let mark = egui::Checkbox::new(&mut is_on, text);
            ui.add_enabled(refusal.is_none(), mark)
                .on_hover_text("On or off in the next run. Click to change.")
                .on_disabled_hover_text(refusal.unwrap_or_default());
            let text = RichText::new(parts::sentence(toggle.summary)).color(theme.weak);
            ui.add(egui::Label::new(text).wrap());
            ui.end_row();
            if is_on != before {
                *settings = switched;
            }
        }
    });
    ui.add_space(6.0);
}

/// Whether settings switch an extension on by its name.
fn is_enabled(settings: &Settings, toggle: &Toggle) -> bool {
    settings.enable.iter().any(|text| text.split('=').next().map(str::trim) == Some(toggle.name))
}

/// Returns settings with an extension switched on, with the size that the options of `cp2` suggest, or without it.
fn switched(settings: &Settings, toggle: &Toggle, is_on: bool) -> Settings {
    let mut settings = settings.clone();
    if is_on {
        let size = match toggle.name {
            "more-fprs" => "=128".to_owned(),
            _ => toggle.size().map_or(String::new(), |(_, least)| format!("={least}")),
        };
        settings.enable.push(format!("{}{size}", toggle.name));
    } else {
        settings.enable.retain(|text| text.split('=').next().map(str::trim) != Some(toggle.name));
    }
    settings
}

/// Shows the choice of the machine to run on; returns whether to run now.
fn choice(ui: &mut Ui, theme: Theme, session: &mut Session) -> bool {
    let is_kernel =
        session.run.as_ref().and_then(|run| run.info()).is_some_and(|info| {
            matches!(info.provenance.origin, crate::worker::Origin::Kernel(..))
        });
    let mut is_run = false;
    ui.horizontal(|ui| {
        let name = session.machine.machine.clone();
        let text = name.clone().unwrap_or_else(|| "CP2 alone".to_owned());
        let choices = ComboBox::from_id_salt("machine").selected_text(text).show_ui(ui, |ui| {
            let machine = &mut session.machine.machine;
            ui.selectable_value(machine, None, "CP2 alone");
            for (preset, _) in PRESETS {
                ui.selectable_value(machine, Some(preset.to_owned()), preset);
            }
        });
        choices.response.on_hover_text(
            "The machine around CP2 in the next run. CP2 alone has no DMA channel and no system \
             memory. Click to choose another.",
        );
        is_run = parts::run_button(ui, session.can_run_again()).clicked();
        let reset = ui.button("Reset");
        if reset.on_hover_text("Sets all numbers back to those of the open run.").clicked()
            && let Some(info) = session.run.as_ref().and_then(|run| run.info())
        {
            session.machine = info.provenance.origin.settings().clone();
        }
        if is_kernel && session.machine.machine.is_none() && !session.machine.set.is_empty() {
            let text = "Kernels of cp2 are made for the core of CP2 and may not run on this one.";
            ui.label(RichText::new(text).color(theme.weak));
        }
    });
    is_run
}

#[expect(
    clippy::too_many_arguments,
    reason = "a number is shown beside what it was and what it is in the machine"
)]
fn number(
    ui: &mut Ui,
    theme: Theme,
    key: Key,
    chosen: &MachineConfig,
    before: Option<u32>,
    plain: &Option<MachineConfig>,
    settings: &mut Settings,
) {
    let info = key.info();
    let old = chosen.value(key);
    let mut value = old;
    let is_changed = before.is_some_and(|before| before != old);
    let colour = if is_changed { theme.accent() } else { theme.text };
    ui.label(RichText::new(info.name).font(mono(12.0)).color(colour));
    match info.kind {
        KeyKind::Flag => {
            let mut is_on = value == 1;
            ui.checkbox(&mut is_on, "").on_hover_text("On or off. Click to change.");
            value = u32::from(is_on);
        }
        KeyKind::Range(low, high) => {
            ui.add(DragValue::new(&mut value).range(low..=high).speed(0.2))
                .on_hover_text(format!("From {low} to {high}. Drag, or click to type."));
        }
        KeyKind::Power(low, high) => {
            let list = ComboBox::from_id_salt(info.name).width(72.0);
            let list = list.selected_text(value.to_string()).show_ui(ui, |ui| {
                let mut power = low;
                while power <= high {
                    ui.selectable_value(&mut value, power, power.to_string());
                    power *= 2;
                }
            });
            let tip = format!("A power of two from {low} to {high}. Click to choose.");
            list.response.on_hover_text(tip);
        }
        KeyKind::Multiple(of, high) => {
            ui.add(DragValue::new(&mut value).range(of..=high).speed(of)).on_hover_text(format!(
                "A multiple of {of} from {of} to {high}. Drag, or click to type."
            ));
            value = value / of * of;
        }
    }
    let open = before.filter(|_| is_changed).map_or(String::new(), |n| format!("Open run: {n}. "));
    let text = format!("{open}{}", parts::sentence(info.description));
    ui.add(egui::Label::new(RichText::new(text).color(theme.weak)).wrap());
    if value != old {
        set(settings, key, value, plain);
    }
}

/// Notes in the settings that a number is changed, or is as the machine has it.
fn set(settings: &mut Settings, key: Key, value: u32, plain: &Option<MachineConfig>) {
    let name = key.to_string();
    settings.set.retain(|set| set.split('=').next() != Some(&name));
    if plain.as_ref().is_none_or(|plain| plain.value(key) != value) {
        let value = match key.info().kind {
            KeyKind::Flag => (value == 1).to_string(),
            _ => value.to_string(),
        };
        settings.set.push(format!("{name}={value}"));
    }
}

pub(crate) fn csv(session: &mut Session) -> String {
    let mut text = "key,value\n".to_owned();
    if let Ok(config) = config_of(&session.machine) {
        for key in Key::ALL {
            text += &format!("{key},{}\n", config.value(key));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_can_be_switched_on_and_off() {
        let plain = Settings { machine: Some("vm7".to_owned()), ..Settings::default() };
        for toggle in &TOGGLES {
            let on = switched(&plain, toggle, true);
            assert!(is_enabled(&on, toggle) && config_of(&on).is_ok(), "{}: {on:?}", toggle.name);
            assert_eq!(switched(&on, toggle, false), plain);
        }
    }

    #[test]
    fn a_number_that_is_put_back_is_no_change() {
        let mut settings = Settings::default();
        let plain = config_of(&settings).ok();
        set(&mut settings, Key::ArithmeticLatency, 4, &plain);
        assert_eq!(settings.set, ["core.arithmetic_latency=4"]);
        assert_eq!(config_of(&settings).map(|c| c.value(Key::ArithmeticLatency)), Ok(4));
        set(&mut settings, Key::ArithmeticLatency, 8, &plain);
        assert!(settings.set.is_empty());
    }
}
