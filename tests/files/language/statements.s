# What lines mean: slots, operands, macros, repetitions, conditions.

; case: operations go to their slot
lwi f1, 3
cneg f1, f2
nop
; bundle: | lwi f1, 3
; bundle: cneg f1, f2
; bundle: nop

; case: a bar with nothing on one side
| lwi f1, 3
cneg f1, f2 |
; bundle: | lwi f1, 3
; bundle: cneg f1, f2

; case: nop on either side of a bar
nop | lwi f1, 3
cneg f1, f2 | nop
nop | nop
; bundle: | lwi f1, 3
; bundle: cneg f1, f2
; bundle: nop

; case: a predicate
if(cc3) cneg f1, f2 | lwi f1, 3
; bundle: if(cc3) cneg f1, f2 | lwi f1, 3

; case: blanks and comments do not matter
# first

  start :  if ( cc{1+2} )  cadd f1,f2 ,f3|ldo f4,( r0 )+ 2 ; last
	nop // both
# // ;
; bundle: if(cc3) cadd f1, f2, f3 | ldo f4, (r0)+2
; bundle: nop

; case: every form of operand
c.ge.ps cc5, f1, f2
li3 f1, 0xffff
mfc f1, fccr
mtc f1, fcsr
recip f1.hi, f2.lo
qsdot f0, f2, f4, 1
rrlog2 f1, f2, f3
lshifti f1, f2, -32
| move lc, g3
| move i4, m15
| seti n7, 65535
| clr r15
| lwo f1, (r2)-4096
| sdnp f62, (r3)+n3
| lwnm f1, (r4)-n4
| updaddr (r5)+4095
| swi f1, 8191
| check_dma g15
| mtfpr f1, i9, all
| mffpr g1, f2, s3
| psprmsgn0 f30, f2, -0, 1, -2, 3
| psprmsgn1 f62, f2, 3, -3, 0, -1
| stop g4
| do g4, 100 @allow(C0450)
; bundle: c.ge.ps cc5, f1, f2
; bundle: li3 f1, 0xffff
; bundle: mfc f1, fccr
; bundle: mtc f1, fcsr
; bundle: recip f1.hi, f2.lo
; bundle: qsdot f0, f2, f4, 1
; bundle: rrlog2 f1, f2, f3
; bundle: lshifti f1, f2, -32
; bundle: | move lc, g3
; bundle: | move i4, m15
; bundle: | seti n7, 65535
; bundle: | clr r15
; bundle: | lwo f1, (r2)-4096
; bundle: | sdnp f62, (r3)+n3
; bundle: | lwnm f1, (r4)-n4
; bundle: | updaddr (r5)+4095
; bundle: | swi f1, 8191
; bundle: | check_dma g15
; bundle: | mtfpr f1, i9, all
; bundle: | mffpr g1, f2, s3
; bundle: | psprmsgn0 f30, f2, -0, 1, -2, 3
; bundle: | psprmsgn1 f62, f2, 3, -3, 0, -1
; bundle: | stop g4
; bundle: | do g4, 100

; case: psprmsgn is told by its destination
psprmsgn f31, f2, 0, 1, 2, 3
psprmsgn f{30+2}, f2, 0, 1, 2, 3
; bundle: | psprmsgn0 f31, f2, 0, 1, 2, 3
; bundle: | psprmsgn1 f32, f2, 0, 1, 2, 3

; case: register numbers can be computed
.equ k, 3
cadd f{2*k+1}, f{k}, f{0}
lwnp f1, (r{k})+n{1+2}
move a{k}, g{k-1}
recip f{k}.hi, f1.lo
; bundle: cadd f7, f3, f0
; bundle: | lwnp f1, (r3)+n3
; bundle: | move a3, g2
; bundle: recip f3.hi, f1.lo

; case: an address without a step stays
lwo f1, (r2)
lwo f1, (r2)-2+1
lwo f1, (r2) - 2*3
; bundle: | lwo f1, (r2)+0
; bundle: | lwo f1, (r2)-1
; bundle: | lwo f1, (r2)-6

; case: macros substitute arguments
# `\@` makes the label of each call one of its own.
.macro bf x, y=9, k
    cbutterfly f\x, f\y
skip\@:
    psadd f\k, f\x, f{\y+1}
.endm
    bf 1, 2, 3
    bf 4, , 6
; bundle: cbutterfly f1, f2
; bundle: psadd f3, f1, f3
; bundle: cbutterfly f4, f9
; bundle: psadd f6, f4, f10

; case: macro arguments keep their commas in brackets
.macro m a, b
addi f1, f2, \a + \b
.endm
m max(1, 2), f32(0.0)
; bundle: addi f1, f2, 2

; case: macros may call themselves and define macros
.macro count n
.if \n > 0
    li0 f1, \n
    count \n - 1
.endif
.endm
.macro make name, reg
.macro \name
    copy f\reg, f0
.endm
.endm
    count 3
    make three, 3
    three
; bundle: li0 f1, 0x0003
; bundle: li0 f1, 0x0002
; bundle: li0 f1, 0x0001
; bundle: copy f3, f0

; case: repetitions nest and name their iteration
.rept 2, i
.rept 2, j
l\i\()_\j: copy f{2*\i+\j}, f\i
.endr
.endr
.rept 0
    bogus
.endr
; bundle: copy f0, f0
; bundle: copy f1, f0
; bundle: copy f2, f1
; bundle: copy f3, f1
; symbol: l1_0=2

; case: conditions choose lines
.equ n, 5
.if n > 3
    li0 f1, 1
.if n == 5
    li0 f1, 2
.else
    bogus
.endif
.else
    also bogus
.rept nonsense
.endr
.endif
.if 0
    bogus
.else
    li0 f1, 3
.endif
; bundle: li0 f1, 0x0001
; bundle: li0 f1, 0x0002
; bundle: li0 f1, 0x0003

; case: a dot is the address of the statement
nop
jumpi .+2
nop
nop
.equ here, .
.lmem all
.org 9
.quad .
after: .quad . - after
stop: .code
stopi 0
; bundle: nop
; bundle: | jumpi 3
; bundle: nop
; bundle: nop
; bundle: | stopi 0
; symbol: here=4
; run:
; state: [9] = 9, 0

; case: symbols may come later
.equ a, b * 2
.equ b, end + 1
jumpi end
nop
end: stopi a
; bundle: | jumpi 2
; bundle: nop
; bundle: | stopi 6
; symbol: a=6 b=3

; case: kernels follow each other
.kernel a
nop
.kernel b
back: nop
jumpi back
nop
.kernel c
.org 100
nop
; bundle: 0: nop
; bundle: 1: nop
; bundle: 2: | jumpi 1
; bundle: 3: nop
; bundle: 100: nop
; symbol: a=0 b=1 c=100

; case: bundles before any kernel make main
.org 16
nop
nop
; bundle: 16: nop
; bundle: 17: nop
; symbol: main=16

; case: org and align fill a kernel with nops
stopi 1
.org 3
stopi 2
.align 4
stopi 3
.align 4
; bundle: 0: | stopi 1
; bundle: 1: nop
; bundle: 2: nop
; bundle: 3: | stopi 2
; bundle: 4: | stopi 3

; case: a kernel can be interrupted by data
stopi 0
.lmem 2
t: .quad 7
.code
lwi f1, t
.lmem 2
.quad 8
; bundle: 0: | stopi 0
; bundle: 1: | lwi f1, 0
; run:
; state: [t].s2 = 7, 8  [t].s1 = 0, 0

; case: data of every form
stopi 0
.lmem all
    .quad 1, -1, 0xffffffffffffffff, f32(1.0) << 32
    .complex 1.5, -0.25, inf, 0, nan, -1e10
    .pair -1, 1, 0xffffffff, 0x80000000
    .zero 2
.align 16
tail: .quad 5
.lmem s1
.org 20
    .quad 6
; bundle: | stopi 0
; symbol: tail=16
; run:
; state: [0] = 0x1, 0xffffffffffffffff, 0xffffffffffffffff, 0x3f80000000000000, 0x3fc00000be800000, 0x7f80000000000000, 0x7fffffffd01502f9, 0xffffffff00000001, 0xffffffff80000000, 0x0, 0x0
; state: [16] = 5, 0
; state: [20] = {0, 6, 0, 0}

; case: rules of control flow can be lifted for tests of the machine
jumpi 0
sync @allow(C0450)
.allow C0455
runi 0
.endallow
; error: none

; case: loops that end one behind the other
doi 4, o
doi 4, i
nop
i: nop
o: nop
nop
stopi 0
; error: none

; case: the shortest loop
doi 4, e
e: nop
nop
sync
stopi 0
; error: none

; case: a jump early in a loop
doi 4, e
enddo
jumpi out
nop
e: nop
nop
out: stopi 0
; error: none

; case: one loop after another
doi 4, a
a: nop
nop
doi 4, b
b: nop
nop
stopi 0
; error: none

; case: several files share global symbols and kernels only
.kernel a
l:  calli help
    nop
    stopi code
; file: b.s
.global help, code
.equ code, 7
.kernel b
l:  nop
help:
    ret
    nop
    jumpi a
    nop
; symbol: help=4
; bundle: | calli 4
; bundle: nop
; bundle: | stopi 7
; bundle: nop
; bundle: | ret
; bundle: nop
; bundle: | jumpi 0
; bundle: nop
; run:
; end: stop 7

; case: constants of an earlier file decide repetitions
.global n
.equ n, 3
; file: b.s
.rept n
nop
.endr
; bundle: nop
; bundle: nop
; bundle: nop

; case: data of several files follow each other
stopi 0
.lmem all
a: .quad 1
; file: b.s
.lmem all
b: .quad 2
; symbol: b=1
; run:
; state: [0] = 1, 2

; case: an included file is read where it stands
.include "head.inc"
fill 3
.include "tail.inc"
; file: head.inc
.equ n, 2
.macro fill k
li0 f1, n + \k
.endm
; file: tail.inc
stopi n
; bundle: li0 f1, 0x0005
; bundle: | stopi 2
; run:
; end: stop 2
