//! The visual language: colours by cause (`model::palette` has them as data), grounds, text sizes, spacing. No view
//! has a colour of its own.

use crate::model::palette::{Hue, Rgb};
use cp2_emu::stats::Cause;
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, Stroke, TextStyle, Visuals,
};

/// Height of a row of a table.
pub(crate) const ROW: f32 = 18.0;

/// Colours of a window, dark or light.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    is_dark: bool,
    /// Colour behind pictures and tables.
    pub(crate) ground: Color32,
    /// Colour behind bars and heads.
    pub(crate) panel: Color32,
    /// Colour of buttons and cards.
    pub(crate) raised: Color32,
    /// Colour of borders and grids.
    pub(crate) line: Color32,
    /// Colour of text.
    pub(crate) text: Color32,
    /// Colour of text that is less important.
    pub(crate) weak: Color32,
}

const fn colour([r, g, b]: Rgb) -> Color32 {
    Color32::from_rgb(r, g, b)
}

const DARK: Theme = Theme {
    is_dark: true,
    ground: colour([18, 22, 29]),
    panel: colour([25, 30, 39]),
    raised: colour([36, 43, 55]),
    line: colour([47, 56, 70]),
    text: colour([222, 228, 236]),
    weak: colour([148, 160, 177]),
};

const LIGHT: Theme = Theme {
    is_dark: false,
    ground: colour([250, 251, 252]),
    panel: colour([240, 243, 246]),
    raised: colour([226, 231, 237]),
    line: colour([208, 215, 224]),
    text: colour([26, 33, 44]),
    weak: colour([86, 97, 113]),
};

impl Theme {
    /// Returns the theme of a window.
    pub(crate) fn of(visuals: &Visuals) -> Self {
        if visuals.dark_mode { DARK } else { LIGHT }
    }

    /// Returns the colour of a meaning.
    pub(crate) fn hue(self, hue: Hue) -> Color32 {
        let [dark, light] = hue.pair();
        colour(if self.is_dark { dark } else { light })
    }

    /// Returns the colour of a cause.
    pub(crate) fn cause(self, cause: Cause) -> Color32 {
        self.hue(Hue::Kernel(cause))
    }

    /// Returns the colour of the cursor and of what is selected.
    pub(crate) fn accent(self) -> Color32 {
        self.hue(Hue::Accent)
    }

    /// Returns a colour that lets the ground through: 0 is the ground, 1 the colour.
    pub(crate) fn tint(self, colour: Color32, part: f32) -> Color32 {
        self.ground.lerp_to_gamma(colour, part.clamp(0.0, 1.0))
    }

    /// Returns the colour of text that is readable on a colour: black or white.
    pub(crate) fn text_on(self, colour: Color32) -> Color32 {
        let [r, g, b, _] = colour.to_array();
        // One of the two has a contrast of 4.58 at least, whatever the colour.
        let contrast = |ground| crate::model::palette::contrast([r, g, b], ground);
        if contrast([0; 3]) > contrast([255; 3]) { Color32::BLACK } else { Color32::WHITE }
    }

    fn visuals(self) -> Visuals {
        let mut v = if self.is_dark { Visuals::dark() } else { Visuals::light() };
        v.panel_fill = self.panel;
        v.window_fill = self.panel;
        v.extreme_bg_color = self.ground;
        v.code_bg_color = self.raised;
        v.faint_bg_color = self.tint(self.raised, 0.35);
        v.window_stroke = Stroke::new(1.0, self.line);
        v.window_corner_radius = CornerRadius::same(8);
        v.hyperlink_color = self.cause(Cause::Arithmetic);
        v.warn_fg_color = self.hue(Hue::Hazard);
        v.error_fg_color = self.hue(Hue::Worse);
        v.selection.bg_fill = self.tint(self.cause(Cause::Arithmetic), 0.35);
        v.selection.stroke = Stroke::new(1.0, self.text);
        v.weak_text_color = Some(self.weak);
        let w = &mut v.widgets;
        let all = [
            (&mut w.noninteractive, self.panel, self.line, self.text),
            (&mut w.inactive, self.raised, self.line, self.text),
            (&mut w.hovered, self.tint(self.text, 0.22), self.weak, self.text),
            (&mut w.active, self.tint(self.text, 0.3), self.weak, self.text),
            (&mut w.open, self.raised, self.line, self.text),
        ];
        for (widget, fill, border, text) in all {
            widget.bg_fill = fill;
            widget.weak_bg_fill = fill;
            widget.bg_stroke = Stroke::new(1.0, border);
            widget.fg_stroke = Stroke::new(1.0, text);
            widget.corner_radius = CornerRadius::same(5);
            widget.expansion = 0.0;
        }
        w.inactive.bg_stroke = Stroke::NONE;
        v
    }
}

/// Returns a font of equally wide letters.
pub(crate) fn mono(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// Returns a font for text.
pub(crate) fn sans(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Sets the colours, fonts and spacing of a window.
pub(crate) fn install(ctx: &Context, is_dark: bool) {
    ctx.set_visuals_of(egui::Theme::Dark, DARK.visuals());
    ctx.set_visuals_of(egui::Theme::Light, LIGHT.visuals());
    ctx.set_theme(if is_dark { egui::Theme::Dark } else { egui::Theme::Light });
    ctx.all_styles_mut(|style| {
        style.text_styles = [
            (TextStyle::Heading, sans(22.0)),
            (TextStyle::Body, sans(13.5)),
            (TextStyle::Button, sans(13.5)),
            (TextStyle::Monospace, mono(12.5)),
            (TextStyle::Small, sans(11.5)),
        ]
        .into();
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.button_padding = egui::vec2(9.0, 3.5);
        // As high as a button, so that text beside one is in its middle.
        style.spacing.interact_size.y = 24.0;
        style.spacing.window_margin = Margin::same(14);
        style.spacing.scroll = egui::style::ScrollStyle::solid();
        style.spacing.scroll.bar_width = 8.0;
        style.interaction.selectable_labels = false;
        style.animation_time = 0.0;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::palette::contrast;

    #[test]
    fn text_is_readable_on_every_ground_and_every_colour() {
        let rgb = |c: Color32| [c.r(), c.g(), c.b()];
        for theme in [DARK, LIGHT] {
            for ground in [theme.ground, theme.panel, theme.raised] {
                assert!(contrast(rgb(theme.text), rgb(ground)) >= 7.0);
                assert!(contrast(rgb(theme.weak), rgb(ground)) >= 4.5, "{ground:?}");
            }
            for cause in Cause::ALL {
                let colour = theme.cause(cause);
                assert!(contrast(rgb(theme.text_on(colour)), rgb(colour)) >= 4.5, "{cause:?}");
            }
        }
    }
}
