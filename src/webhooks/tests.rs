//! What needs neither a book nor a net.

use super::pause;

#[test]
fn pauses_grow_up_to_six_hours_and_differ_by_a_fifth() {
    let middle: Vec<i64> = (1..=10).map(|n| pause(n, 0.5) / 1_000).collect();
    let table = [10, 30, 90, 270, 810, 2_430, 7_290, 21_600, 21_600, 21_600];
    assert_eq!(middle, table);
    assert_eq!((pause(1, 0.0), pause(1, 1.0)), (8_000, 12_000));
    assert_eq!(pause(0, 0.5), pause(1, 0.5));
    assert_eq!(pause(i64::MAX, 0.5), 21_600_000);
    assert_eq!(pause(1, f64::NAN), 8_000);
}
