//! Probe.
use cp2_fast::Fast; use cp2_programs::{fft,load,random};
fn main(){ let (mut cp2, entry)=load::machine_with("f",&fft::source(256).unwrap()).unwrap();
 for (quad, x) in cp2.state.lmem.iter_mut().zip(random::complex(1, 16 * 256)) { *quad = [u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits()); 4]; }
 cp2.state.gpr[1]=4096; cp2.state.gpr[2]=15; let mut f=Fast::new(cp2);
 for i in 0..5 { let t=std::time::Instant::now(); let r=f.run_untraced(entry,1000000); println!("{i} {} translated {} in {:?}", r.stats.cycles, f.translated_cycles(), t.elapsed()); }
 let t=std::time::Instant::now(); for _ in 0..20000 { f.run_untraced(entry,1000000);} println!("{:?} per run", t.elapsed()/20000);
 let t=std::time::Instant::now(); for _ in 0..2000 { f.start(entry); f.advance(1,&mut cp2_emu::trace::Off);} println!("{:?} per start", t.elapsed()/2000);
}
