//! Prints the page `specs/src/gpu.md` from the data of runs.

use cp2_gpu_procedures::cg::{FramedEll, SlicedEll};
use cp2_kernels::sparse::matrices::{CLASS_A, CLASS_S, CLASS_W, npb_cg_rows};
use serde_json::Value;

const PAGE: &str = include_str!("../data/page.md");
const DATA: &str = concat!(
    include_str!("../data/2026-11-28.jsonl"),
    include_str!("../data/2026-11-29.jsonl"),
    include_str!("../data/2026-11-29-h200.jsonl")
);

/// Data of runs, a report each.
struct Runs(Vec<Value>);

fn text<'v>(report: &'v Value, name: &str) -> &'v str {
    report[name].as_str().unwrap_or_default()
}

/// Returns a number of a report.
fn figure(report: &Value, name: &str) -> Option<f64> {
    let all = report["figures"].as_array()?;
    all.iter().find(|figure| figure["name"] == name)?["value"].as_f64()
}

/// Returns a number with four significant digits; a dash if there is none.
fn number(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let digits = 3 - value.abs().max(1e-9).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}

/// Returns a table in Markdown.
fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    let lines = [head, rule].into_iter().chain(rows);
    lines.map(|cells| line(&cells)).collect::<Vec<_>>().join("\n")
}

impl Runs {
    /// Returns the last reports of subjects that a test takes, on these cards, in the order of the data.
    fn of(&self, (count, name): Cards, is_taken: impl Fn(&str) -> bool) -> Vec<&Value> {
        let is_right = |report: &&Value| {
            report["devices"].as_array().is_some_and(|devices| devices.len() == count)
                && report["devices"][0] == name
                && is_taken(text(report, "subject"))
        };
        let mut found: Vec<&Value> = Vec::new();
        for report in self.0.iter().filter(is_right) {
            match found.iter_mut().find(|old| old["subject"] == report["subject"]) {
                Some(old) => *old = report,
                None => found.push(report),
            }
        }
        // Rows go by class, from the smallest on; those without one stay behind.
        found.sort_by_key(|report| {
            let of_class = |word: &str| CLASSES.iter().position(|class| *class == word);
            text(report, "subject").split(' ').find_map(of_class).unwrap_or(CLASSES.len())
        });
        found
    }

    /// Returns the reports of a procedure of the calls in which several cards were measured beside one, by class and number of cards.
    fn of_cards(&self, procedure: &str) -> Vec<&Value> {
        let is_of_call = |report: &&Value| {
            let call = report["call"].as_u64();
            text(report, "date") == CARDS_DATE
                && call.is_some_and(|call| CARDS_CALLS.contains(&call))
        };
        let of_call = self.0.iter().filter(is_of_call);
        let mut all: Vec<_> =
            of_call.filter(|report| text(report, "subject").starts_with(procedure)).collect();
        all.sort_by_key(|report| (text(report, "subject").split(' ').nth(1), devices(report)));
        all
    }

    /// Returns how many times as fast a report of several cards is as that of the same class on one in the same call.
    fn speed_up(&self, report: &Value) -> Option<f64> {
        let class = |report: &Value| {
            text(report, "subject").split(' ').take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let [procedure, _] = <[String; 2]>::try_from(class(report)).ok()?;
        let one = self.of_cards(&procedure).into_iter().find(|one| {
            devices(one) == 1 && class(one) == class(report) && one["call"] == report["call"]
        })?;
        Some(figure(one, "seconds")? / figure(report, "seconds")?)
    }

    /// Returns the table of a procedure on several cards, with the times as fast as one card in the second column.
    fn cards_table(&self, procedure: &str, columns: &Columns) -> String {
        let row = |report: &Value| {
            let of_columns = columns.iter().map(|(_, name)| number(figure(report, name)));
            let (subject, count) = (text(report, "subject"), devices(report));
            let is_told = count == 1 || subject.contains(" devices");
            let on = if is_told { String::new() } else { format!(" on {count} devices") };
            let mut cells = vec![format!("{subject}{on}")];
            cells.extend(of_columns);
            cells.insert(2, number(self.speed_up(report)));
            cells
        };
        let mut head: Vec<&str> =
            std::iter::once("run").chain(columns.iter().map(|column| column.0)).collect();
        head.insert(2, "times one");
        table(&head, self.of_cards(procedure).into_iter().map(row).collect())
    }

    /// Returns what the text says of several cards, by names in the page: times as fast as one (`x`) and the percentage that the formula
    /// estimates of the time (`r`), by procedure, class and number of cards; seconds of one card in the fused form.
    fn cards_numbers(&self) -> Parts {
        let names = [
            ("mg C on 2 devices", ["x-mg-c-2", "r-mg-c-2"]),
            ("mg C on 4 devices", ["x-mg-c-4", "r-mg-c-4"]),
            ("mg D on 2 devices", ["x-mg-d-2", "r-mg-d-2"]),
            ("mg D on 4 devices", ["x-mg-d-4", "r-mg-d-4"]),
            ("cg C on 4 devices", ["x-cg-c-4", "r-cg-c-4"]),
            ("cg D on 2 devices", ["x-cg-d-2", "r-cg-d-2"]),
            ("cg D on 4 devices", ["x-cg-d-4", "r-cg-d-4"]),
        ];
        let of_name = |(subject, [times, ratio]): (&str, [&'static str; 2])| {
            let all = self.of_cards(&subject[..2]);
            let report = all.into_iter().find(|report| text(report, "subject") == subject);
            let speed_up = number(report.and_then(|report| self.speed_up(report)));
            [(times, speed_up), (ratio, number(report.and_then(|report| figure(report, "ratio"))))]
        };
        let fused =
            [("mg C fused", "fused-c"), ("mg D fused", "fused-d")].map(|(subject, name)| {
                let report = self.of(H200, |s| s == subject).last().copied();
                (name, number(report.and_then(|report| figure(report, "seconds"))))
            });
        names.into_iter().flat_map(of_name).chain(fused).collect()
    }

    /// Returns the reports of one card that serves as several devices.
    fn shared(&self) -> Vec<&Value> {
        let is_shared = |report: &&Value| text(report, "command").contains("--device 0,0");
        self.0.iter().filter(is_shared).collect()
    }

    /// Returns a table of the reports that [`Self::of`] gives.
    fn table(&self, cards: Cards, is_taken: impl Fn(&str) -> bool, columns: &Columns) -> String {
        report_table(self.of(cards, is_taken), columns)
    }
}

/// Returns the number of devices of a report.
fn devices(report: &Value) -> usize {
    report["devices"].as_array().map_or(0, Vec::len)
}

/// Returns the reports of several devices.
fn several(mut reports: Vec<&Value>) -> Vec<&Value> {
    reports.retain(|report| devices(report) > 1);
    reports
}

/// Returns a table of reports, a row each.
fn report_table(reports: Vec<&Value>, columns: &Columns) -> String {
    let row = |report: &Value| {
        let note = if report["verified"] == false { " (not verified)" } else { "" };
        let mut cells = vec![format!("{}{note}", text(report, "subject"))];
        cells.extend(columns.iter().map(|(_, name)| number(figure(report, name))));
        cells
    };
    let head: Vec<&str> =
        std::iter::once("run").chain(columns.iter().map(|column| column.0)).collect();
    table(&head, reports.into_iter().map(row).collect())
}

/// Classes of NPB from the smallest on.
const CLASSES: [&str; 6] = ["S", "W", "A", "B", "C", "D"];

/// A number of devices, and the name of the first one.
type Cards = (usize, &'static str);
const H100: Cards = (1, "NVIDIA H100 80GB HBM3");
const H200: Cards = (1, "NVIDIA H200");
/// Date and numbers of the calls in which 1, 2 and 4 cards were measured.
const CARDS_DATE: &str = "2026-11-29";
const CARDS_CALLS: [u64; 3] = [9, 11, 12];

/// Columns of MG on one card that serves as several devices.
const SHARED: [(&str, &str); 7] = [
    ("s", "seconds"),
    ("synchronous, s", "synchronous"),
    ("direct, s", "direct"),
    ("kernels alone, s", "kernels"),
    ("exchanges alone, s", "exchanges"),
    ("overlap, %", "overlap"),
    ("gathered from, points", "gathered"),
];
/// Columns of one exchange of faces.
const FACES: [(&str, &str); 3] =
    [("BW, GB/s", "bw"), ("measured, us", "faces"), ("formula 2.11, us", "faces_estimate")];

/// Columns of a table: their heads, and the numbers in them.
type Columns = [(&'static str, &'static str)];

/// Columns of the runs of MG on one device; those of CG are all but the last.
const MG: [(&str, &str); 5] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
    ("bound, %", "bound_share"),
];
/// Columns of the transforms of a resident array.
const FT: [(&str, &str); 4] = [
    ("s", "seconds"),
    ("GOPS (NPB)", "gops"),
    ("an iteration, ms", "iteration"),
    ("passes", "passes"),
];
/// Columns of FT by pages.
const PAGED: [(&str, &str); 7] = [
    ("s", "seconds"),
    ("transform, ms", "time"),
    ("transfers alone, ms", "moves"),
    ("kernels alone, ms", "kernels"),
    ("overlap, %", "overlap"),
    ("BW, GB/s", "bw"),
    ("ratio, %", "ratio"),
];
/// Columns of MG on several cards.
const CARDS_MG: [(&str, &str); 10] = [
    ("s", "seconds"),
    ("synchronous, s", "synchronous"),
    ("direct, s", "direct"),
    ("kernels alone, s", "kernels"),
    ("exchanges alone, s", "exchanges"),
    ("overlap, %", "overlap"),
    ("gathered from, points", "gathered"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
    ("GiB a card", "memory"),
];
/// Columns of CG on several cards.
const CARDS_CG: [(&str, &str); 7] = [
    ("s", "seconds"),
    ("vectors on the host, s", "host_vectors"),
    ("a product, us", "product"),
    ("formula 2.21, us", "product_estimate"),
    ("estimate, s", "estimate"),
    ("ratio, %", "ratio"),
    ("GiB a card", "memory"),
];

fn kernels(measured: &Value) -> String {
    let all = ["resid", "smooth", "proj", "interp", "rise", "descend", "sliced", "sorted"];
    let row = |name: &&str| {
        let share = format!("{name}_share");
        vec![(*name).to_owned(), number(figure(measured, name)), number(figure(measured, &share))]
    };
    table(&["kernel", "MOPS", "percent of the copy rate"], all.iter().map(row).collect())
}

fn padding() -> String {
    let classes = [("S", CLASS_S), ("W", CLASS_W), ("A", CLASS_A)];
    let row = |(name, class): (&str, _)| {
        let matrix = npb_cg_rows(class);
        let nonzeros = matrix.values.len() as f64;
        let factor = |length: usize| format!("{:.2}", length as f64 / nonzeros);
        let sliced = |h| SlicedEll::new(&matrix, h, 1).map_or(0, |packed| packed.values.len());
        let framed = |h| FramedEll::new(&matrix, h, 1024).map_or(0, |packed| packed.values.len());
        let mut cells = vec![name.to_owned()];
        cells.extend([4, 8, 32, 128, class.order].map(|h| factor(sliced(h))));
        cells.extend([4, 8, 32].map(|h| factor(framed(h))));
        cells
    };
    let head = ["class", "H 4", "8", "32", "128", "ELL", "4 x 1024", "8 x 1024", "32 x 1024"];
    table(&head, classes.into_iter().map(row).collect())
}

/// Returns the cards, driver and date of a report.
fn when(report: &Value) -> String {
    let is_one = devices(report) < 2 || text(report, "command").contains("0,0");
    let many = match devices(report) {
        _ if is_one => "One",
        2 => "Two",
        _ => "Four",
    };
    let name = report["devices"][0].as_str().unwrap_or_default();
    format!("{many} {name}, driver {}, {}", text(report, "driver"), text(report, "date"))
}

/// Nonzeros of the matrix of CG class C, and the share of its vector that a first cache of 256 KiB holds.
const NONZEROS: f64 = 36_121_058.0;
const HELD: f64 = 262_144.0 / 1_200_000.0;

/// Returns whether a subject is one of the table of products.
fn is_product(subject: &str) -> bool {
    ["cusparse", "sliced", "framed"].iter().any(|word| subject.starts_with(word))
}

/// Returns what bounds a product on a card, by names in the page.
fn bounds(runs: &Runs, card: Cards, measured: &Value) -> Parts {
    let products = runs.of(card, is_product).into_iter().filter_map(|r| figure(r, "product"));
    let fastest = products.fold(f64::INFINITY, f64::min);
    let bound = figure(measured, "sectors_bound").map(|bound| bound * (1.0 - HELD));
    let cg = |subject| runs.of(card, |s| s == subject).last().copied();
    let of = |report: Option<&Value>, name| number(report.and_then(|report| figure(report, name)));
    let framed = cg("cg C framed");
    let padding = framed.and_then(|report| figure(report, "padding"));
    let of_matrix = figure(measured, "matrix_bound");
    vec![
        ("nonzeros", format!("{NONZEROS}")),
        ("sectors", number(figure(measured, "sectors"))),
        ("cache", number(figure(measured, "bw_cache"))),
        ("of_x", number(figure(measured, "sectors_bound"))),
        ("of_matrix", number(of_matrix)),
        ("held", number(Some(100.0 * HELD))),
        ("of_x_held", number(bound)),
        ("fastest", number(Some(fastest))),
        ("bound", number(bound.map(|bound| 100.0 * bound / fastest))),
        ("frame_padding", number(padding)),
        ("frame_bound", number(padding.zip(of_matrix).map(|(padding, time)| padding * time))),
        ("frame_seconds", of(framed, "seconds")),
        ("slice_seconds", of(cg("cg C"), "seconds")),
    ]
}

/// Parts of the page by their names in it.
type Parts = Vec<(&'static str, String)>;

/// Returns the parts of the page about one card.
fn one_device(runs: &Runs, card: Cards) -> Result<Parts, String> {
    let measured = runs.of(card, |s| s == "measure").last().copied().ok_or("no measurement")?;
    let is_of =
        |procedure| move |s: &str| s.strip_prefix("npb-gpu ").unwrap_or(s).starts_with(procedure);
    let is_transform =
        |s: &str| s.ends_with("resident") || s.starts_with("cufft") || s.starts_with("npb-gpu ft");
    let mut parts = vec![
        ("device", when(measured)),
        ("mg", runs.table(card, is_of("mg "), &MG)),
        ("cg", runs.table(card, is_of("cg "), &MG[..4])),
        ("ft", runs.table(card, is_transform, &FT)),
        ("copy", number(figure(measured, "bw_cp"))),
        ("kernels", kernels(measured)),
        ("products", runs.table(card, is_product, &[("us", "product")])),
        ("pages", runs.table(card, |s| s.ends_with("pages"), &PAGED)),
    ];
    parts.extend(bounds(runs, card, measured));
    Ok(parts)
}

/// Returns a text with the parts in place of their names, which stand in double braces with a prefix.
fn filled(page: String, prefix: &str, parts: &Parts) -> String {
    parts
        .iter()
        .fold(page, |page, (name, text)| page.replace(&format!("{{{{{prefix}{name}}}}}"), text))
}

fn main() -> Result<(), String> {
    let reports = DATA.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    let runs = Runs(reports.map_err(|e| e.to_string())?);
    let shared = runs.shared();
    let parts = vec![
        ("shared", shared.last().map_or_else(String::new, |report| when(report))),
        ("one-as-several", report_table(shared.clone(), &SHARED)),
        ("faces", report_table(shared, &FACES)),
        ("cards", runs.of_cards("mg").last().copied().map_or_else(String::new, when)),
        ("cards-mg", runs.cards_table("mg", &CARDS_MG)),
        ("cards-faces", report_table(several(runs.of_cards("mg")), &FACES)),
        ("cards-cg", runs.cards_table("cg", &CARDS_CG)),
        ("cards-ft", runs.cards_table("ft", &PAGED)),
        ("padding", padding()),
        (
            "made",
            "<!-- Made by `cargo xtask bless gpu` from `gpu/procedures/data/`. -->".to_owned(),
        ),
    ];
    let page = filled(PAGE.to_owned(), "", &one_device(&runs, H100)?);
    let page = filled(page, "h200-", &one_device(&runs, H200)?);
    let page = filled(page, "", &runs.cards_numbers());
    print!("{}", filled(page, "", &parts));
    Ok(())
}
