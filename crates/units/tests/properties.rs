//! Laws of quantities: what is printed exactly can be parsed again, and rounding stays small.

use iopath_units::{ByteRate, Bytes, Human, Nanos, OperationRate, Ratio, System};
use proptest::prelude::*;

proptest! {
    #[test]
    fn printing_then_parsing_is_the_identity(value: u64) {
        prop_assert_eq!(Bytes(value).to_string().parse(), Ok(Bytes(value)));
        prop_assert_eq!(ByteRate(value).to_string().parse(), Ok(ByteRate(value)));
        prop_assert_eq!(Nanos(value).to_string().parse(), Ok(Nanos(value)));
        prop_assert_eq!(OperationRate(value).to_string().parse(), Ok(OperationRate(value)));
        prop_assert_eq!(Ratio(value).to_string().parse(), Ok(Ratio(value)));
    }

    #[test]
    fn rounded_form_is_within_half_a_thousandth(value in 1u64..(1 << 62)) {
        for system in [System::Decimal, System::Binary] {
            let text = Bytes(value).human(system);
            let (number, unit) = text.split_once(' ').unwrap();
            let step: f64 = if system == System::Decimal { 1000.0 } else { 1024.0 };
            let power = "BKMGTPE".find(unit.to_uppercase().chars().next().unwrap()).unwrap();
            let shown = number.parse::<f64>().unwrap() * step.powi(i32::try_from(power).unwrap());
            let error = (shown - value as f64).abs() / value as f64;
            prop_assert!(error <= 0.000_51, "{} shown as {}: {}", value, text, error);
        }
    }

    #[test]
    fn no_text_panics(text: String) {
        let _ = text.parse::<Bytes>();
        let _ = text.parse::<Nanos>();
        let _ = text.parse::<Ratio>();
    }
}
