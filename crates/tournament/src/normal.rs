//! The normal distribution, as far as statistics of matches need it.

/// The probability that a standard normal variable is below `x`: between 0 and 1 for every `x`, to about seven digits.
///
/// Simpson's rule on the density from 0 to `x`; beyond eight deviations there is nothing left to add.
pub fn normal_below(x: f64) -> f64 {
    if x.is_nan() {
        return 0.5;
    }
    let end = x.clamp(-8.0, 8.0);
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let steps = 200;
    let step = end / f64::from(steps);
    let inner: f64 =
        (1..steps).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * density(f64::from(i) * step)).sum();
    let area = (density(0.0) + inner + density(end)) * step / 3.0;
    (0.5 + area).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::normal_below;

    #[test]
    fn it_has_the_values_of_the_tables() {
        for (x, want) in
            [(0.0, 0.5), (1.0, 0.841_344_75), (-1.959_964, 0.025), (3.0, 0.998_650_1), (9.0, 1.0)]
        {
            assert!((normal_below(x) - want).abs() < 1e-6, "{x}: {}", normal_below(x));
        }
        assert_eq!(normal_below(f64::NAN), 0.5);
        assert!(normal_below(f64::NEG_INFINITY) < 1e-9 && normal_below(f64::INFINITY) > 1.0 - 1e-9);
    }
}
