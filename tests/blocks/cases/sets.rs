//! Address sets that meet on the way, or begin each pass anew.

use super::*;

/// Stores and loads of the same words through sets that are apart at first and then meet, six of
/// them, so that one has no native register.
#[test]
fn sets_that_meet_on_the_way_see_each_others_words() {
    let all_places = [
        [0, 40, 80, 120, 160, 200],
        [100, 101, 102, 103, 104, 105],
        [4090, 4096, 5000, 8000, 8100, 4200],
    ];
    let all_steps =
        [[1, 0, -1, 2, -2, 1], [3, 1, 1, -3, -1, 2], [1, 1, 1, 1, 1, 1], [-4, 4, -4, 4, -4, 4]];
    for places in all_places {
        for steps in all_steps {
            let mut text = String::from("        .kernel meeting\n");
            for (k, place) in places.into_iter().enumerate() {
                text += &format!("        | seti a{k}, {place}\n");
            }
            text += "        | doi 90, last\n";
            for (k, step) in steps.into_iter().enumerate() {
                let (f, other) = (4 * k, (k + 3) % 6);
                text += &format!("        psadd f{}, f{f}, f50 | ldo f{f}, (r{k})+1\n", 30 + k);
                text += &format!("        | swo f{}, (r{other})-1\n", 4 * other);
                text += &format!("        | lwo f{}, (r{k})-1\n", f + 2);
                text += &format!("        | sdo f{f}, (r{other})+1\n");
                text += &format!(
                    "        pssub f{}, f51, f52 | swo f{}, (r{k}){step:+}\n",
                    40 + k,
                    30 + k
                );
            }
            text += &nops(8);
            text += "last:   | nop\n        | nop\n        | sync\n        | stopi 0\n";
            compare(&text, &machine(&text));
        }
    }
}

/// Loops whose bodies set an address anew after they have used it, or step it in a way that only the
/// run knows, so that passes do not begin where the steps of the one before lead.
#[test]
fn sets_that_a_body_sets_anew_begin_each_pass_where_they_should() {
    let changes = [
        "seti a0, 300",
        "move a0, g3",
        "move a0, n1",
        "seti a1, 4090",
        "clr r0",
        "updaddrnp (r0)+n0",
        "move n0, g3",
    ];
    for change in changes {
        for place in [0, 5, 4080, 8180] {
            let text = format!(
                "        .kernel anew
        | seti a0, {place}
        | seti a1, 700
        | seti n1, 9
        | seti n0, 3
        | seti g3, 120
        | doi 70, last
        psadd f4, f0, f20 | ldo f0, (r0)+2
        psadd f5, f4, f21 | swo f4, (r0)+3
        psmul f6, f5, f22 | sdo f4, (r1)+6
        | {change}
        | swnp f5, (r0)+n0
{}last:   | swo f6, (r1)-1
        | nop
        | sync
        | stopi 0
",
                nops(16)
            );
            compare(&text, &machine(&text));
        }
    }
}
