//! Descriptions of the interfaces of kernels, what they declare of their arguments and arrays, as text for people and
//! as JSON.

use cp2_asm::image::Image;
use cp2_asm::interface::{Argument, ArrayBase, DeclaredArray, Extent, Interface};
use cp2_document::{self as document, Field, ValueKind};
use serde_json::Value;
use std::fmt::Write as _;

const ARGUMENT: &[Field<Argument>] = &[
    Field::new("name", ValueKind::Text, "", "of `--arg NAME=VALUE`", |a| a.name.as_str().into()),
    Field::new("register", ValueKind::Text, "", "that holds it", |a| a.register.to_string().into()),
    Field::new(
        "type",
        ValueKind::Text,
        "",
        "of the value; one of 32 bits goes into both halves",
        |a| a.element.name().into(),
    ),
    Field::optional("min", ValueKind::Integer, "", "least value", |a| a.promise.min.into()),
    Field::optional("max", ValueKind::Integer, "", "largest value", |a| a.promise.max.into()),
    Field::optional("multiple", ValueKind::Integer, "", "that the value is a multiple of", |a| {
        a.promise.multiple.into()
    }),
    Field::optional("default", ValueKind::Integer, "", "value if none is given", |a| {
        a.promise.default.into()
    }),
];

const ARRAY: &[Field<DeclaredArray>] = &[
    Field::new("name", ValueKind::Text, "", "of `--load NAME=FILE` and `--store NAME=FILE`", |a| {
        a.name.as_str().into()
    }),
    Field::new("direction", ValueKind::Text, "", "`in`, `out` or `inout`", |a| {
        a.direction.name().into()
    }),
    Field::new("type", ValueKind::Text, "", "of the elements", |a| a.element.name().into()),
    Field::new("shape", ValueKind::Texts, "elements", "size of each axis, by the arguments", |a| {
        a.shape.iter().map(Extent::to_string).collect()
    }),
    Field::new("layout", ValueKind::Text, "", "which sections have which elements", |a| {
        a.layout.spread.to_string().into()
    }),
    Field::new("pack", ValueKind::Text, "", "how elements of 32 bits lie in words", |a| {
        a.layout.packing.name().into()
    }),
    Field::new("at", ValueKind::Text, "", "first word, or the register with its address", |a| {
        a.base.to_string().into()
    }),
];

const INTERFACE: &[Field<Interface>] = &[
    Field::new(
        "arguments",
        ValueKind::Objects(|| document::schema(ARGUMENT, &[])),
        "",
        "values in registers",
        |i| i.arguments.iter().map(|argument| document::object(ARGUMENT, argument)).collect(),
    ),
    Field::new(
        "arrays",
        ValueKind::Objects(|| document::schema(ARRAY, &[])),
        "",
        "arrays in local memory; no two overlap unless they begin at one word",
        |i| i.arrays.iter().map(|array| document::object(ARRAY, array)).collect(),
    ),
];

/// Returns the interface of a kernel, the arguments and arrays that it declares, as a JSON object.
pub fn interface_json(interface: &Interface) -> Value {
    document::object(INTERFACE, interface)
}

/// Returns the JSON schema of the object that [`interface_json`] returns.
pub fn interface_schema() -> Value {
    document::schema(INTERFACE, &[])
}

/// A kernel of a program.
type Of = (String, Interface);

const KERNEL: &[Field<Of>] = &[
    Field::new("kernel", ValueKind::Text, "", "its name", |k| k.0.as_str().into()),
    Field::new("interface", ValueKind::Object(interface_schema), "", "what it declares", |k| {
        interface_json(&k.1)
    }),
];

const PROGRAM: &[Field<[Of]>] = &[Field::new(
    "kernels",
    ValueKind::Objects(|| document::schema(KERNEL, &[])),
    "",
    "of the program, in the order of their addresses",
    |kernels| kernels.iter().map(|kernel| document::object(KERNEL, kernel)).collect(),
)];

const SCHEMA: &str = "cp2-interface-1";

/// Returns the kernels of a program, each with what it declares.
fn of_program(image: &Image) -> Vec<Of> {
    let interface = |name: &String| image.interfaces.get(name).cloned().unwrap_or_default();
    image.kernels.iter().map(|kernel| (kernel.name.clone(), interface(&kernel.name))).collect()
}

/// Returns the interfaces of all kernels of a program, the arguments and arrays that they declare, as a JSON document
/// `cp2-interface-1`.
pub fn program_json(image: &Image) -> Value {
    document::document(SCHEMA, PROGRAM, &of_program(image)[..])
}

/// Returns the interfaces of all kernels of a program as text for people: the name of each kernel, then a line for each
/// argument and array, with the option of the command line that gives it.
pub fn program_text(image: &Image) -> String {
    of_program(image).iter().map(|(kernel, interface)| interface_text(kernel, interface)).collect()
}

/// Returns the JSON schema of the document that [`program_json`] returns.
pub fn schema() -> Value {
    let title = "What `cp2 run PROGRAM --interface --json` prints";
    document::whole(title, &[document::tagged(SCHEMA, PROGRAM, &[])])
}

/// Returns an interface as text for people, after the name of its kernel.
fn interface_text(kernel: &str, interface: &Interface) -> String {
    let mut text = format!("{kernel}\n");
    if interface.is_empty() {
        text += "  declares no arguments and no arrays\n";
    }
    for argument in &interface.arguments {
        let Argument { name, register, element, promise } = argument;
        let promises = promise.to_string();
        let _ = writeln!(text, "  --arg {name}=VALUE  {register}, {}{promises}", element.name());
    }
    for array in &interface.arrays {
        let options = match (array.direction.is_read(), array.direction.name()) {
            (_, "inout") => format!("--load {0}=FILE.npy --store {0}=FILE.npy", array.name),
            (true, _) => format!("--load {}=FILE.npy", array.name),
            (false, _) => format!("--store {}=FILE.npy", array.name),
        };
        let at = match array.base {
            ArrayBase::Word(word) => format!("from word {word} on"),
            ArrayBase::Register(register) => format!("address in {register}"),
        };
        let _ = writeln!(
            text,
            "  {options}  {}, {} {}, layout {}, {at}",
            array.direction.name(),
            array.element.name(),
            array.shape_text(),
            array.layout
        );
    }
    text
}
