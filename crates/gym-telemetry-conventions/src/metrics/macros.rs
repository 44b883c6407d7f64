/// Declares the instruments of one subject, and the subject itself.
///
/// The documentation of a constant is the description of its metric, so that both say the same.
macro_rules! instruments {
    (@boundaries) => { &[] };
    (@boundaries $set:ident) => { $crate::boundaries::$set };
    ($title:literal, $tier:ident: $(
        $( #[doc = $doc:literal] )+
        $name:ident = $metric:literal {
            kind: $kind:ident,
            unit: $unit:literal,
            reporter: $reporter:literal,
            $( required: [$( $required:ident ),+], )?
            $( optional: [$( $optional:ident ),+], )?
            $( boundaries: $boundaries:ident, )?
        }
    )+) => {
        $(
            $( #[doc = $doc] )+
            pub const $name: $crate::Instrument = $crate::Instrument {
                name: $metric,
                kind: $crate::Kind::$kind,
                unit: $unit,
                description: concat!($( $doc ),+).trim_ascii(),
                attributes: &[
                    $( $( $crate::Use::required($crate::attributes::$required), )+ )?
                    $( $( $crate::Use::optional($crate::attributes::$optional), )+ )?
                ],
                boundaries: instruments!(@boundaries $( $boundaries )?),
                tier: $crate::Tier::$tier,
                reporter: $reporter,
            };
        )+

        /// The subject of this module.
        pub(super) const SUBJECT: $crate::metrics::Subject =
            $crate::metrics::Subject { title: $title, instruments: &[$( $name ),+] };
    };
}

pub(super) use instruments;
