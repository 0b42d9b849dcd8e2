# Linear code that cannot be scheduled, and what is said of it.

; case: a promise that cannot hold is blamed on its line
.linear
.disjoint r2, r3
.disjoint r0, r1
; error: 1-17 C0610 this promise cannot hold: `r0` and `r1` meet from every start that was tried, the last time in word 7334
;   label: cannot hold
;   help: leave out the sets that reach words of others
 move a1, a0
 lwo %x, (r0)+1
 swo %x, (r1)+1
.endlinear
 stopi 0

; case: a count that the region sets itself against what its loop promises
.linear
; error: 1-8 C0610 what the loops of this region promise of their counts cannot hold: no start that was tried keeps them
;   label: cannot hold
;   help: the region sets a count itself, to a value that breaks `min=` or `multiple=`
.scratch g15
 seti g2, 2
.loop g2, min=8
 psadd %a, f1, f2
 swo %a, (r0)+1
.endloop
.endlinear
 stopi 0

; case: a shortage of registers says by how many and which lines
.linear
.keep f0-f61
 lwi %a, 0
; error: 2-11 C0605 there are not enough registers: 3 values are alive at once, 1 more than the 2 registers that are free for them
;   label: no register is left
;   related: 2-11 `%a` is alive there, for 12 cycles
;   related: +2:2-11 `%c` is alive there, for 9 cycles
;   related: +5:2-17 `%f` is alive there, for 1 cycle
;   note: the values alive at once are `%a`, `%c`, `%f`
;   note: the region names or keeps f0-f61
;   help: let fewer values live at once: use results sooner, store them, or split the block
 lwi %b, 1
 lwi %c, 2
 cadd %d, %b, %c
 cadd %e, %d, %a
 cadd %f, %a, %b
 cadd %g, %f, %c
 cadd %h, %g, %e
 swi %h, 2
.endlinear
 stopi 0

; case: and who holds the registers from loop to loop, and from iteration to iteration
.linear
.scratch g15
.keep f6-f63
.assign %out, f3
 copy %sum, f1
 copy %all, f1
.loop g2, min=8, multiple=4
 lwo %x, (r0)+1
; error: 2-16 C0605 there are not enough registers: 4 values are alive at once, 2 more than the 2 registers that are free for them
;   label: no register is left
;   related: 2-16 `%x` is alive there, for 27 cycles
;   related: +2:2-18 `%z` is alive there, for 17 cycles
;   related: +3:2-18 `%w` is alive there, for 11 cycles
;   note: the values alive at once are `%x`, `%z`, `%w`, `%v`
;   note: kept from loop to loop are `%sum` (f0), `%all` (f2)
;   note: the region names or keeps f1, f3, f6-f63
;   help: let fewer values live at once: use results sooner, store them, or split the block
 lwo %y, (r1)+1
 psmul %z, %x, %y
 psadd %w, %z, %x
 psadd %v, %w, %y
 psmadd %sum, %v, %z
 psmadd %all, %v, %x
 psadd %u, %v, %w
 swo %u, (r2)+1
.endloop
 psadd %out, %sum, %all
.endlinear
 stopi 0

; case: values of forty loads at once
.linear
.keep f0-f60
.rept 40, k
 lwi %a\k, \k
; error: 2-14 C0605
.endr
 cadd %b0, %a0, %a39
 cadd %b1, %a1, %a38
 cadd %b2, %a2, %a37
 cadd %b3, %a3, %a36
 cadd %b4, %a4, %a35
 cadd %b5, %a5, %a34
 cadd %b6, %a6, %a33
 cadd %b7, %a7, %a32
 cadd %b8, %a8, %a31
 cadd %b9, %a9, %a30
 cadd %b10, %a10, %a29
 cadd %b11, %a11, %a28
 cadd %b12, %a12, %a27
 cadd %b13, %a13, %a26
 cadd %b14, %a14, %a25
 cadd %b15, %a15, %a24
 cadd %b16, %a16, %a23
 cadd %b17, %a17, %a22
 cadd %b18, %a18, %a21
 cadd %b19, %a19, %a20
 cadd %b20, %a20, %a19
 cadd %b21, %a21, %a18
 cadd %b22, %a22, %a17
 cadd %b23, %a23, %a16
 cadd %b24, %a24, %a15
 cadd %b25, %a25, %a14
 cadd %b26, %a26, %a13
 cadd %b27, %a27, %a12
 cadd %b28, %a28, %a11
 cadd %b29, %a29, %a10
 cadd %b30, %a30, %a9
 cadd %b31, %a31, %a8
 cadd %b32, %a32, %a7
 cadd %b33, %a33, %a6
 cadd %b34, %a34, %a5
 cadd %b35, %a35, %a4
 cadd %b36, %a36, %a3
 cadd %b37, %a37, %a2
 cadd %b38, %a38, %a1
 cadd %b39, %a39, %a0
.rept 40, k
 swi %b\k, 100 + \k
.endr
.endlinear
 stopi 0

; case: too many iterations
.linear
.loop 70000
; error: 1-12 C0606 the loop's kernel would run 70000 times; the most is 65535
;   label: invalid loop
;   help: put the count into a general register, or nest two loops
.loop 2
 lwo %x, (r0)+1
.endloop
.endloop
.endlinear
 stopi 0

; case: sixteen loops
.linear
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
.loop 2
; error: 1-8 C0606 more than 15 loops in one another
;   label: invalid loop
;   help: the machine's loop stack holds no more; unroll one of them
 inci f1, 1
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endloop
.endlinear
 stopi 0

; case: a chain of pairs with one more value than registers
.linear
; error: 1-8 C0605 65 registers in a row from `%a0` on are needed; there are 64
;   label: no register is left
 ldo %a0:%a1, (r0)+2
 ldo %a1:%a2, (r0)+2
 ldo %a2:%a3, (r0)+2
 ldo %a3:%a4, (r0)+2
 ldo %a4:%a5, (r0)+2
 ldo %a5:%a6, (r0)+2
 ldo %a6:%a7, (r0)+2
 ldo %a7:%a8, (r0)+2
 ldo %a8:%a9, (r0)+2
 ldo %a9:%a10, (r0)+2
 ldo %a10:%a11, (r0)+2
 ldo %a11:%a12, (r0)+2
 ldo %a12:%a13, (r0)+2
 ldo %a13:%a14, (r0)+2
 ldo %a14:%a15, (r0)+2
 ldo %a15:%a16, (r0)+2
 ldo %a16:%a17, (r0)+2
 ldo %a17:%a18, (r0)+2
 ldo %a18:%a19, (r0)+2
 ldo %a19:%a20, (r0)+2
 ldo %a20:%a21, (r0)+2
 ldo %a21:%a22, (r0)+2
 ldo %a22:%a23, (r0)+2
 ldo %a23:%a24, (r0)+2
 ldo %a24:%a25, (r0)+2
 ldo %a25:%a26, (r0)+2
 ldo %a26:%a27, (r0)+2
 ldo %a27:%a28, (r0)+2
 ldo %a28:%a29, (r0)+2
 ldo %a29:%a30, (r0)+2
 ldo %a30:%a31, (r0)+2
 ldo %a31:%a32, (r0)+2
 ldo %a32:%a33, (r0)+2
 ldo %a33:%a34, (r0)+2
 ldo %a34:%a35, (r0)+2
 ldo %a35:%a36, (r0)+2
 ldo %a36:%a37, (r0)+2
 ldo %a37:%a38, (r0)+2
 ldo %a38:%a39, (r0)+2
 ldo %a39:%a40, (r0)+2
 ldo %a40:%a41, (r0)+2
 ldo %a41:%a42, (r0)+2
 ldo %a42:%a43, (r0)+2
 ldo %a43:%a44, (r0)+2
 ldo %a44:%a45, (r0)+2
 ldo %a45:%a46, (r0)+2
 ldo %a46:%a47, (r0)+2
 ldo %a47:%a48, (r0)+2
 ldo %a48:%a49, (r0)+2
 ldo %a49:%a50, (r0)+2
 ldo %a50:%a51, (r0)+2
 ldo %a51:%a52, (r0)+2
 ldo %a52:%a53, (r0)+2
 ldo %a53:%a54, (r0)+2
 ldo %a54:%a55, (r0)+2
 ldo %a55:%a56, (r0)+2
 ldo %a56:%a57, (r0)+2
 ldo %a57:%a58, (r0)+2
 ldo %a58:%a59, (r0)+2
 ldo %a59:%a60, (r0)+2
 ldo %a60:%a61, (r0)+2
 ldo %a61:%a62, (r0)+2
 ldo %a62:%a63, (r0)+2
 ldo %a63:%a64, (r0)+2
.loop 3
 psadd f1, %a0, %a0
.endloop
.endlinear
 stopi 0

; case: an operation of the DMA
.linear
 start_dma
; error: 2-11 C0601 `start_dma` cannot be used in linear code
;   label: not possible in linear code
;   help: the scheduler orders the operations; end the region with `.endlinear` first
.endlinear
 stopi 0

; case: flags
.linear
 mfc f1, fcsr
; error: 2-14 C0601 `mfc` of fcsr, whose flags have no fixed order, cannot be used in linear code
;   label: not possible in linear code
;   help: the scheduler orders the operations; end the region with `.endlinear` first
.endlinear
 stopi 0

; case: a count that is scratch
.linear
; error: 1-8 C0607 g2 is a scratch register, and a loop counts by it
;   label: needs `.scratch`
;   help: name another one in `.scratch`
.scratch g2
.loop g2, min=9
 psadd f1, f2, f3
.endloop
.endlinear
 stopi 0

; case: a result in a scratch register
.linear
.scratch g4
 seti g4, 7
; error: 2-12 C0607 g4 is a scratch register, and this uses it
;   label: needs `.scratch`
;   help: name another one in `.scratch`
.endlinear
 stopi 0

; case: a usual count that the promises rule out
.linear
.loop g2, min=2, multiple=4, expected=3
; error: 39-40 C0606 `expected=3` is below the least count, which is 4
;   label: invalid loop
;   help: it must be at least 4
 psadd f1, f2, f3
.endloop
.endlinear
 stopi 0

; case: a promise that the count breaks
.linear
.loop 3, min=4
; error: 10-13 C0606 a promise about a fixed count
;   label: invalid loop
;   help: only a count in a register needs one
 psadd f1, f2, f3
.endloop
.endlinear
 stopi 0

; case: nothing
.linear
; error: 1-8 C0608 a region without an operation
;   label: not possible here
.endlinear
 stopi 0

; case: a region that begins before what it reads has arrived
 lwi f2, 0
.linear
; error: 1-8 C0611 linear code begins 2 bundles too early: results that it meets are still under way
;   label: begins too early
;   help: put other work, or `nop` 2 times, before `.linear`
 psadd f1, f2, f2
.endlinear
 stopi 0

; case: the neighbour of a register of `.assign` has to have its place for itself
.linear
; error: C0604
.assign %low, f10
 ldo %low:%high, (r0)+2
 psadd f1, f11, f3
.endlinear
 stopi 0

; case: the neighbour of a register of `.assign` is kept
.linear
; error: C0604
.keep f8, f10-f11
.assign %low, f10
 ldo %low:%high, (r0)+2
.endlinear
 stopi 0

; case: two results in one register by assignment
.linear
.assign %fixed, f12
copy %fixed, f1
swap64 f12, %fixed
; error: 1-19 C0309 `swap64` writes f12 twice; its destinations must differ
;   label: writes one register twice
;   help: `%fixed` is assigned to f12
.endlinear
 stopi 0

; case: a neighbour behind the last register
.linear
; error: C0604
.assign %low, f63
 ldo %low:%high, (r0)+2
.endlinear
 stopi 0

; case: a neighbour before the first register
.linear
; error: C0604
.assign %high, f0
 ldo %low:%high, (r0)+2
.endlinear
 stopi 0
