use cp2_kernels::recursion::{LaneSearch, PlanWishes};
use cp2_procedures::recursion::*;
use cp2_recursion::tasks::*;
use cp2_session::execution::Execution;
fn main() {
    let mut machine = cp2_emu::MachineConfig::preset("vm9").unwrap();
    machine.enable("section-addressing").unwrap();
    let on = Execution { max_cycles: Some(1 << 40), ..Execution::on(*machine.core()) };
    let moves = Moves::new(machine.clone(), &on).unwrap();
    
    for (b, q, d) in [(8,8,0),(8,8,1),(8,8,2),(8,8,3),(8,8,4),(8,6,2),(8,6,3),(10,10,2)] {
        let task = Queens::new(b, q).unwrap();
        let wishes = PlanWishes { depth: Some(d), ..PlanWishes::default() };
        let s = LaneSearch::chosen_beside(&task, wishes, ((&on.environment, machine.core()), &moves)).unwrap();
        let (_, _, cost) = solve(machine.clone(), &s, &on, &mut |_: usize, _: usize| ()).unwrap();
        let (_, alone) = cp2_kernels::recursion::solve(&s, &on, &mut |_, _| ()).unwrap();
        println!("{b} {q} D{d}: {} predicted {:?} moved {} ({:?}) alone {alone}", cost.cycles(), s.choice().predicted_cycles, cost.cycles() - alone, s.choice().name);
    }
}
