//! Perfetto's protobuf read back without its schema: fields by number, so that what is written is seen as it is.

/// A value of a field.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let (&first, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first < 0x80 {
            return value;
        }
    }
    panic!("a number of more than 64 bits");
}

fn fields<'a>(mut bytes: &'a [u8]) -> Vec<(u64, Value<'a>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Value::Number(varint(&mut bytes)),
            1 => {
                let (word, rest) = bytes.split_first_chunk().expect("8 bytes");
                bytes = rest;
                Value::Number(u64::from_le_bytes(*word))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (part, rest) = bytes.split_at(length);
                bytes = rest;
                Value::Bytes(part)
            }
            other => panic!("wire type {other}"),
        };
        all.push((key >> 3, value));
    }
    all
}

/// Whether a field is a message, by its number and the numbers of those around it.
fn is_message(path: &[u64]) -> bool {
    matches!(path, [11] | [11, 4] | [12] | [12, 2 | 3] | [60] | [60, 8])
}

fn tell(path: &mut Vec<u64>, bytes: &[u8], text: &mut String) {
    for (number, value) in fields(bytes) {
        path.push(number);
        match value {
            Value::Number(n) => *text += &format!(" {number}:{n}"),
            Value::Bytes(part) if is_message(path) => {
                *text += &format!(" {number}{{");
                tell(path, part, text);
                *text += " }";
            }
            Value::Bytes(part) => {
                *text += &format!(" {number}:{:?}", std::str::from_utf8(part).expect("UTF-8"));
            }
        }
        path.pop();
    }
}

/// Returns a line for every packet, the fields of each as `number:value` and `number{...}`.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (number, packet) in fields(bytes) {
        let Value::Bytes(packet) = packet else { panic!("field {number} is no packet") };
        assert_eq!(number, 1);
        let mut line = String::new();
        tell(&mut Vec::new(), packet, &mut line);
        text += line.trim_start();
        text.push('\n');
    }
    text
}
