//! Decodes values into no more memory than they are granted. In a file an element of a list may be a byte, and in memory many
//! times that: so the elements of lists are counted one by one, each before it is read, and no list becomes longer than it
//! may.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use std::cell::Cell;
use std::fmt;

/// Number of bytes of memory that lists may still take.
#[derive(Debug)]
pub(crate) struct Room(Cell<u64>);

impl Room {
    /// Returns room for so many bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// Takes room for elements of a type, and returns whether there was as much.
    pub(crate) fn take<T>(&self, elements: usize) -> bool {
        let left = (size_of::<T>() as u64)
            .checked_mul(elements as u64)
            .and_then(|bytes| self.0.get().checked_sub(bytes));
        left.inspect(|&left| self.0.set(left)).is_some()
    }

    /// Decodes a value from bytes, all of them, in the wire format of postcard. `None` if the bytes are not such a value, or
    /// it takes more memory.
    pub(crate) fn decoded<T: DeserializeOwned>(&self, bytes: &[u8]) -> Option<T> {
        let mut from = postcard::Deserializer::from_bytes(bytes);
        let value = T::deserialize(Counting { from: &mut from, room: self }).ok()?;
        from.finalize().ok()?.is_empty().then_some(value)
    }
}

/// Deserializer that hands everything through and counts what the elements of lists take.
struct Counting<'r, T> {
    from: T,
    room: &'r Room,
}

/// Visitor, access or seed that hands everything through and counts what the elements of lists take. Fields of structures and
/// tuples lie in an element that was counted, and are not counted again.
struct Counted<'r, T> {
    to: T,
    room: &'r Room,
    is_list: bool,
}

/// Deserializer methods that take nothing but a visitor.
macro_rules! hand_on {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            self.from.$method(Counted { to: visitor, room: self.room, is_list: false })
        })*
    };
}

/// Deserializer methods that take a name or a length before the visitor.
macro_rules! hand_on_with {
    ($($method:ident($($name:ident: $type:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(
            self,
            $($name: $type,)*
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            self.from.$method($($name,)* Counted { to: visitor, room: self.room, is_list: false })
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Counting<'_, D> {
    type Error = D::Error;

    hand_on! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_option
        deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    hand_on_with! {
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.from.deserialize_seq(Counted { to: visitor, room: self.room, is_list: true })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.from.deserialize_map(Counted { to: visitor, room: self.room, is_list: true })
    }

    fn is_human_readable(&self) -> bool {
        self.from.is_human_readable()
    }
}

/// Visitor methods that take a plain value.
macro_rules! visit {
    ($($method:ident($type:ty))*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<Self::Value, E> {
            self.to.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Counted<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to.expecting(f)
    }

    visit! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32) visit_f64(f64)
        visit_char(char) visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        self.to.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        self.to.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        self.to.visit_some(Counting { from, room: self.room })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        self.to.visit_newtype_struct(Counting { from, room: self.room })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<Self::Value, A::Error> {
        self.to.visit_seq(Counted { to: from, room: self.room, is_list: self.is_list })
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<Self::Value, A::Error> {
        self.to.visit_map(Counted { to: from, room: self.room, is_list: self.is_list })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<Self::Value, A::Error> {
        self.to.visit_enum(Counting { from, room: self.room })
    }
}

impl<A> Counted<'_, A> {
    /// Counts an element of a list.
    fn count<T, E: Error>(&self) -> Result<(), E> {
        match !self.is_list || self.room.take::<T>(1) {
            true => Ok(()),
            false => Err(E::custom("a list that is longer than any that was written")),
        }
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let element = self.to.next_element_seed(Counting { from: seed, room: self.room })?;
        if element.is_some() {
            self.count::<S::Value, _>()?;
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.to.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let key = self.to.next_key_seed(Counting { from: seed, room: self.room })?;
        if key.is_some() {
            self.count::<S::Value, _>()?;
        }
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.count::<S::Value, _>()?;
        self.to.next_value_seed(Counting { from: seed, room: self.room })
    }

    fn size_hint(&self) -> Option<usize> {
        self.to.size_hint()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Counting<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        self.from.deserialize(Counting { from, room: self.room })
    }
}

impl<'r, 'de, A: EnumAccess<'de>> EnumAccess<'de> for Counting<'r, A> {
    type Error = A::Error;
    type Variant = Counting<'r, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let room = self.room;
        let (value, from) = self.from.variant_seed(Counting { from: seed, room })?;
        Ok((value, Counting { from, room }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Counting<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.from.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.from.newtype_variant_seed(Counting { from: seed, room: self.room })
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.from.tuple_variant(length, Counted { to: visitor, room: self.room, is_list: false })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.from.struct_variant(fields, Counted { to: visitor, room: self.room, is_list: false })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use serde::{Deserialize, Serialize};
    use std::collections::{BTreeMap, VecDeque};

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        None,
        One(u64),
        Two(u8, Vec<u16>),
        Named { text: String, list: Option<Box<[i32]>> },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct New(f64);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        kinds: Vec<Kind>,
        map: BTreeMap<String, [bool; 3]>,
        queue: VecDeque<(char, i128)>,
        new: New,
        unit: (),
    }

    fn whole() -> Whole {
        let named = |list: Option<Box<[i32]>>| Kind::Named { text: "a text".to_owned(), list };
        Whole {
            kinds: vec![
                Kind::None,
                Kind::One(u64::MAX),
                Kind::Two(3, vec![4, 5]),
                named(Some([-6, 7].into())),
                named(None),
            ],
            map: [("key".to_owned(), [true, false, true])].into(),
            queue: [('x', -1), ('y', i128::MAX)].into(),
            new: New(0.5),
            unit: (),
        }
    }

    #[test]
    fn values_of_every_form_come_back() {
        let bytes = postcard::to_stdvec(&whole()).unwrap();
        assert_eq!(Room::new(1 << 20).decoded(&bytes), Some(whole()));
        for n in 0..bytes.len() {
            assert_eq!(Room::new(1 << 20).decoded::<Whole>(&bytes[..n]), None, "{n}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Room::new(1 << 20).decoded::<Whole>(&longer), None);
    }

    #[test]
    fn elements_of_lists_count_and_fields_do_not() {
        let room = |value: &Whole| {
            let bytes = postcard::to_stdvec(value).unwrap();
            let least = (0..1 << 12).find(|&n| Room::new(n).decoded::<Whole>(&bytes).is_some());
            least.unwrap() as usize
        };
        let lists = 5 * size_of::<Kind>() + 2 * size_of::<u16>() + 2 * size_of::<i32>();
        let pairs = size_of::<String>() + size_of::<[bool; 3]>() + 2 * size_of::<(char, i128)>();
        assert_eq!(room(&whole()), lists + pairs);
        let (kinds, map, queue) = Default::default();
        assert_eq!(room(&Whole { kinds, map, queue, ..whole() }), 0);
    }

    #[test]
    fn one_room_is_for_all_that_is_decoded_in_it() {
        let bytes = postcard::to_stdvec(&vec![1_u64; 10]).unwrap();
        let room = Room::new(200);
        assert!(room.decoded::<Vec<u64>>(&bytes).is_some());
        assert!(room.decoded::<Vec<u64>>(&bytes).is_some());
        assert!(room.take::<u64>(5) && !room.take::<u64>(1));
        assert_eq!(room.decoded::<Vec<u64>>(&bytes), None);
        assert!(!room.take::<u64>(usize::MAX));
    }
}
