//! Findings as a SARIF 2.1.0 log.
//!
//! Written with `json!` and not with the crate `serde-sarif` 0.8: a log needs a dozen of SARIF's
//! objects, while the crate generates several hundred with builders, and at its default settings
//! costs about 15 s of every fresh build. A test checks the fields that the standard requires.

use super::finding::{Finding, level, place_name, span};
use cp2_ir::codes::{self, DiagnosticCode};
use cp2_ir::diagnostic::Sources;
use cp2_ir::image::Image;
use cp2_isa::{BundleAddress, Core};
use serde_json::{Map, Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Bytes from one bundle to the next, for SARIF counts addresses in bytes: as in objects, where upper words of bundles
/// have the addresses of their lower words.
const BUNDLE_BYTES: u32 = 8;

/// Returns the findings as a SARIF 2.1.0 log of one run of the linter, with a rule for each code of the linter; their
/// texts have the sizes and latencies of `core`. Bundles without a source line are placed by address only.
pub fn report(core: &Core, findings: &[Finding], image: &Image, sources: &Sources) -> Value {
    let context = Context { image, sources };
    let results: Vec<Value> = findings.iter().map(|finding| context.result(finding)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cp2 lint",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes::of_linter().map(|code| rule(core, code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(core: &Core, code: &DiagnosticCode) -> Value {
    let text = code.text_for(core);
    let help = match code.example.texts() {
        Some((wrong, right)) => format!("{text}\n\nWrong:\n{wrong}\nRight:\n{right}"),
        None => text.clone(),
    };
    json!({
        "id": code.code,
        "shortDescription": { "text": code.title },
        "fullDescription": { "text": text },
        "help": { "text": help },
    })
}

struct Context<'a> {
    image: &'a Image,
    sources: &'a Sources,
}

impl Context<'_> {
    fn result(&self, finding: &Finding) -> Value {
        let text = match finding.help.as_str() {
            "" => finding.message.clone(),
            help => format!("{}. {}.", finding.message, capitalised(help)),
        };
        let mut result = Map::new();
        result.insert("ruleId".into(), finding.code.into());
        if let Some(index) = codes::of_linter().position(|code| code.code == finding.code) {
            result.insert("ruleIndex".into(), index.into());
        }
        result.insert("level".into(), level(finding.severity).into());
        result.insert("message".into(), json!({ "text": text }));
        result.insert("locations".into(), json!([self.location(finding.address)]));
        if !finding.related.is_empty() {
            let related = finding.related.iter().enumerate().map(|(id, (address, text))| {
                let mut location = self.location(*address);
                location["id"] = id.into();
                location["message"] = json!({ "text": text });
                location
            });
            result.insert("relatedLocations".into(), related.collect());
        }
        if let Some(distances) = finding.distances {
            let properties = json!({ "found": distances.found, "needed": distances.needed });
            result.insert("properties".into(), properties);
        }
        result.into()
    }

    /// Returns the location of a bundle: its source, if the image knows it, and always its address.
    fn location(&self, address: BundleAddress) -> Value {
        let mut physical = json!({
            "address": {
                "absoluteAddress": u32::from(address.0) * BUNDLE_BYTES,
                "kind": "instruction",
                "fullyQualifiedName": place_name(self.image, address),
            },
        });
        let place = self.image.lines.get(&address);
        if let Some((place, file)) =
            place.and_then(|place| Some((place, self.image.files.get(place.file as usize)?)))
        {
            physical["artifactLocation"] = json!({ "uri": uri(file) });
            let mut region = json!({ "startLine": place.line, "startColumn": place.column });
            if let Some(span) = span(self.image, self.sources, *place) {
                let columns = self.sources.text(span.file)[span.range].chars().count();
                region["endColumn"] = (place.column as usize + columns).into();
            }
            physical["region"] = region;
        }
        json!({ "physicalLocation": physical })
    }
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// Returns a file name as a relative or absolute URI reference.
fn uri(name: &str) -> String {
    let mut uri = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
