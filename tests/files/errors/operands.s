# Operations and their operands.

; case: unknown operation
 frobnicate f1
; error: 2-12 C0301 there is no operation `frobnicate`
;   label: no such operation

; case: capital letters
 CADD f1, f2, f3
; error: 2-6 C0301 there is no operation `CADD`
;   label: no such operation
;   help: did you mean `cadd`?

; case: unknown relation
 c.lo.s cc1, f1, f2
; error: 2-8 C0301 there is no comparison `c.lo.s`
;   label: no such operation
;   help: comparisons are `c.RELATION.FORMAT`: t, un, lt, le, eq, ne, gt or ge, then s, w, ps or pw

; case: comparison without format
 c.lt cc1, f1, f2
; error: 2-6 C0301 there is no comparison `c.lt`
;   label: no such operation
;   help: comparisons are `c.RELATION.FORMAT`: t, un, lt, le, eq, ne, gt or ge, then s, w, ps or pw

; case: register for a condition code
 c.lt.s f1, f2, f3
; error: 9-11 C0303 operand 1 of `c.lt.s` is a condition code cc0..cc7, not a register fN
;   label: must be a condition code cc0..cc7
;   help: it is written `c.lt.s ccN, fN, fN`

; case: too few operands
 cmul f1, f2
; error: 2-13 C0302 `cmul` takes 3 operands, 2 given
;   label: wrong number of operands
;   help: it is written `cmul fN, fN, fN`

; case: too many operands
 cneg f1, f2, f3
; error: 2-17 C0302 `cneg` takes 2 operands, 3 given
;   label: wrong number of operands
;   help: it is written `cneg fN, fN`

; case: operand of an operation without
 ret f1
; error: 2-8 C0302 `ret` takes 0 operands, 1 given
;   label: wrong number of operands
;   help: it is written `ret`

; case: operand of nop
 nop f1 | nop
; error: 2-8 C0302 `nop` takes 0 operands, 1 given
;   label: wrong number of operands
;   help: it is written `nop`

; case: number for a register
 cadd f1, 2, f3
; error: 11-12 C0303 operand 2 of `cadd` is a register f0..f63, not a number
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`

; case: gpr for an fpr
 cadd f1, g2, f3
; error: 11-13 C0303 operand 2 of `cadd` is a register f0..f63, not a register gN
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`

; case: every operand is told
 cadd 1, g2, (r3)
; error: 7-8 C0303 operand 1 of `cadd` is a register f0..f63, not a number
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`
; error: 10-12 C0303 operand 2 of `cadd` is a register f0..f63, not a register gN
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`
; error: 14-18 C0303 operand 3 of `cadd` is a register f0..f63, not an address `(rK)`
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`

; case: whole register for a half
 recip f1, f2.lo
; error: 8-10 C0303 operand 1 of `recip` is half of a register, `fN.hi` or `fN.lo`, not a register fN
;   label: must be half of a register, `fN.hi` or `fN.lo`
;   help: it is written `recip fN.half, fN.half`

; case: half for a whole register
 cadd f1.hi, f2, f3
; error: 7-12 C0303 operand 1 of `cadd` is a register f0..f63, not half of a register
;   label: must be a register f0..f63
;   help: it is written `cadd fN, fN, fN`

; case: all sections for one
 mffpr g0, f1, all
; error: 16-19 C0303 operand 3 of `mffpr` is one section s0..s3, not `all`
;   label: must be one section s0..s3
;   help: it is written `mffpr gN, fN, section`

; case: move of an fpr
 move f1, g0
; error: 7-9 C0303 operand 1 of `move` is a register gN, iN, aN, nN, mN or a control register, not a register fN
;   label: must be a register gN, iN, aN, nN, mN or a control register
;   help: it is written `move register, register`

; case: move of fcsr
 move fcsr, g0
; error: 7-11 C0303 operand 1 of `move` is a register gN, iN, aN, nN, mN or a control register, not `fcsr`
;   label: must be a register gN, iN, aN, nN, mN or a control register
;   help: it is written `move register, register`

; case: seti of a control register
 seti lc, 3
; error: 7-9 C0303 operand 1 of `seti` is a register gN, aN, nN or mN, not `lc`
;   label: must be a register gN, aN, nN or mN
;   help: it is written `seti register, number`

; case: mfc of a number
 mfc f1, 2
; error: 10-11 C0303 operand 2 of `mfc` is `fcsr` or `fccr`, not a number
;   label: must be `fcsr` or `fccr`
;   help: it is written `mfc fN, fccr`

; case: offset where the step is n
 lwo f1, (r2)+n2
; error: 10-17 C0303 the address has another step: `lwo` steps by a number: `(r2)+1`
;   label: wrong operand
;   help: the operation with this step is `lwnp`

; case: n where the step is an offset
 lwnp f1, (r2)+4
; error: 11-17 C0303 the address has another step: `lwnp` steps by n2: `(r2)+n2`
;   label: wrong operand
;   help: the operation with this step is `lwo`

; case: n with the wrong sign
 lwnm f1, (r2)+n2
; error: 11-18 C0303 the address has another step: `lwnm` steps by -n2: `(r2)-n2`
;   label: wrong operand
;   help: the operation with this step is `lwnp`

; case: fpr as address set
 lwo f1, (f2)+4
; error: 11-13 C0303 expected an address set `rK`
;   label: wrong operand

; case: clr of an address register
 clr a1
; error: 6-8 C0303 operand 1 of `clr` is an address set r0..r15, not a register aN
;   label: must be an address set r0..r15
;   help: it is written `clr rK`

; case: fpr after the last
 cadd f1, f2, f64
; error: 15-18 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   help: `--enable more-fprs=128` gives a machine that has it

; case: computed fpr after the last
 cadd f1, f2, f{60+4}
; error: 15-22 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   help: `--enable more-fprs=128` gives a machine that has it

; case: negative register
 cadd f1, f2, f{1-2}
; error: 15-21 C0304 there is no register f-1: they are f0 to f63
;   label: does not exist

; case: gpr after the last
 stop g16
; error: 7-10 C0304 there is no register g16: they are g0 to g15
;   label: does not exist

; case: condition code after the last
 if(cc8) nop
; error: 5-8 C0304 there is no register cc8: they are cc0 to cc7
;   label: does not exist

; case: section after the last
 mtfpr f1, g0, s4
; error: 16-18 C0304 there is no register s4: they are s0 to s3
;   label: does not exist

; case: addend too large
 addi f1, f2, 2048
; error: 15-19 C0305 2048 is out of range: `addi` takes -2048 to 2047 here
;   label: must be from -2048 to 2047

; case: addend too small
 addi f1, f2, -2049
; error: 15-20 C0305 -2049 is out of range: `addi` takes -2048 to 2047 here
;   label: must be from -2048 to 2047

; case: count of doi too large
 doi 1024, last
; error: 6-10 C0305 1024 is out of range: `doi` takes 0 to 1023 here
;   label: must be from 0 to 1023
;   help: `do gK, LABEL` takes the count from a general register: 1024 in gK
 nop
last: nop
 nop

; case: negative half word
 li0 f1, -1
; error: 10-12 C0305 -1 is out of range: `li0` takes 0 to 65535 here
;   label: must be from 0 to 65535

; case: address after the last bundle
 jumpi 8192
; error: 8-12 C0305 8192 is out of range: `jumpi` takes 0 to 8191 here
;   label: must be from 0 to 8191
 nop

; case: address after the last word
 lwi f1, 8192
; error: 10-14 C0305 8192 is out of range: `lwi` takes 0 to 8191 here
;   label: must be from 0 to 8191
;   help: `--enable larger-local-memory=16384` gives a machine that has it

; case: offset too large
 lwo f1, (r0)+4096
; error: 14-19 C0305 4096 is out of range: `lwo` takes -4096 to 4095 here
;   label: must be from -4096 to 4095

; case: permutation into the wrong half
 psprmsgn0 f40, f2, 0, 1, 2, 3
; error: 12-15 C0305 40 is out of range: `psprmsgn0` takes 0 to 31 here
;   label: must be from 0 to 31

; case: selector after the last
 psprmsgn f0, f2, 0, 1, 2, 4
; error: 28-29 C0305 4 is out of range: `psprmsgn` takes 0 to 3 here
;   label: must be from 0 to 3

; case: mode of qsdot
 qsdot f0, f2, f4, 2
; error: 20-21 C0305 2 is out of range: `qsdot` takes 0 to 1 here
;   label: must be from 0 to 1

; case: exchange before the bar
 lwi f1, 0 | nop
; error: 2-5 C0306 `lwi` is an exchange operation on the wrong side of `|`
;   label: wrong side
;   help: write it after the `|`: `arithmetic | exchange`

; case: arithmetic after the bar
 | cadd f1, f2, f3
; error: 4-8 C0306 `cadd` is an arithmetic operation on the wrong side of `|`
;   label: wrong side
;   help: write it before the `|`: `arithmetic | exchange`

; case: both on the wrong side
 lwi f1, 0 | cadd f1, f2, f3
; error: 2-5 C0306 `lwi` is an exchange operation on the wrong side of `|`
;   label: wrong side
;   help: write it after the `|`: `arithmetic | exchange`
; error: 14-18 C0306 `cadd` is an arithmetic operation on the wrong side of `|`
;   label: wrong side
;   help: write it before the `|`: `arithmetic | exchange`

; case: step of another set
 ldnp f2, (r1)+n2
; error: 16-18 C0307 `(r1)` steps by n2; an address steps by its own n1
;   label: another set's step

; case: computed step of another set
 ldnp f2, (r{1})+n{1+1}
; error: 18-24 C0307 `(r1)` steps by n2; an address steps by its own n1
;   label: another set's step

; case: pair after the last load
 ldi f63, 0
; error: 2-12 C0308 `ldi` needs the register after f63; the last is f63
;   label: needs the next register too

; case: pair after the last matrix
 mvmadd f1, f63, f2
; error: 2-20 C0308 `mvmadd` needs the register after f63; the last is f63
;   label: needs the next register too

; case: pair after the last permutation
 psprmsgn f63, f2, 0, 1, 2, 3
; error: 2-30 C0308 `psprmsgn1` needs the register after f63; the last is f63
;   label: needs the next register too

; case: same destinations
 caddsub f1, f2, f3, f1
; error: 2-24 C0309 `caddsub` writes f1 twice; its destinations must differ
;   label: writes one register twice

; case: same destinations of clear
 clear f1, f1
; error: 2-14 C0309 `clear` writes f1 twice; its destinations must differ
;   label: writes one register twice

; case: raw bundle without meaning
 .bundle 0x00000000_0d800000
 .bundle 0xff << 56
; error: 10-20 C0310 0xff00000000000000 is not a bundle: no arithmetic operation has opcode 0xff
;   label: undefined
;   help: `@allow(C0310)` keeps the word; the machine stops on it with an error

; case: raw bundle of a creg that is none
 .bundle 0x0e00000200000000
; error: 10-28 C0310 0x0e00000200000000 is not a bundle: `mfc` names control register 2; there are 0 (fcsr) and 1 (fccr)
;   label: undefined
;   help: `@allow(C0310)` keeps the word; the machine stops on it with an error

; case: raw bundle of a section that is none
 .bundle 0x0000000018000005
; error: 10-28 C0310 0x0000000018000005 is not a bundle: `mtfpr` names section 5; the last is 4
;   label: undefined
;   help: `@allow(C0310)` keeps the word; the machine stops on it with an error

; case: pairwise comparison into the last
 c.eq.pw cc7, f1, f2
; error: 2-21 C0311 a pairwise comparison into cc7 would also set cc8; the last is cc7
;   label: needs the next condition code too

; case: bundle label as word
 lwi f1, here
; error: 10-14 C0312 `lwi` takes the address of a word of local memory; `here` is that of a bundle
;   label: address in another memory
;   related: +1:1-5 `here` is defined here
;   help: if that is meant, write `here+0`
here: nop

; case: word label as bundle
 jumpi data
; error: 8-12 C0312 `jumpi` takes the address of a bundle; `data` is that of a word of local memory
;   label: address in another memory
;   related: +3:1-5 `data` is defined here
;   help: if that is meant, write `data+0`
 nop
.lmem all
data: .quad 1
