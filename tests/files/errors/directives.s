# Directives, repetitions, conditions, macros and data.

; case: unknown directive
.repeat 3
; error: 1-8 C0401 there is no directive `.repeat`
;   label: no such directive
;   help: did you mean `.rept`?
 nop

; case: misspelled constant counts as defined
.eqv size, 3
; error: 1-5 C0401 there is no directive `.eqv`
;   label: no such directive
;   help: did you mean `.equ`?
 addi f1, f2, size

; case: endr alone
 nop
.endr
; error: 1-6 C0402 `.endr` without an open block
;   label: no such block is open

; case: else alone
 nop
.else
; error: 1-6 C0402 `.else` without an open block
;   label: no such block is open
 nop

; case: endm ends rept
.rept 2
 nop
.endm
; error: 1-6 C0402 `.endm` where `.rept` is open
;   label: no such block is open
;   help: `.rept` ends with `.endr`

; case: else twice
.if 1
 nop
.else
.else
; error: 1-6 C0402 a second `.else`
;   label: no such block is open
;   help: `.else` ends with `.endif`
.endif

; case: endallow alone
 nop
.endallow
; error: 1-10 C0402 `.endallow` without an open `.allow`
;   label: no such block is open

; case: rept left open
 nop
.rept 2
; error: 1-8 C0403 `.rept` is never closed
;   label: opened here
;   help: end it with `.endr`
 nop

; case: if left open inside rept
.rept 1
.if 1
; error: 1-6 C0403 `.if` is never closed
;   label: opened here
;   help: end it with `.endif`
 nop
.endr

; case: allow left open
.allow C0501
; error: 1-13 C0403 `.allow` is never closed
;   label: opened here
;   help: end it with `.endallow`
 nop

; case: label before endr
.rept 1
 nop
a: .endr
; error: 4-9 C0101 a label before `.endr`
;   label: not understood from here on
;   help: put the label on a line of its own

; case: macro named as an operation
.macro nop
; error: 8-11 C0404 `nop` is an operation; a macro cannot have its name
;   label: already in use
.endm
 cadd f1, f2, f3

; case: macro twice
.macro m
.endm
.macro m
; error: 8-9 C0404 macro `m` is defined twice
;   label: already in use
;   related: -2:8-9 the first definition
.endm
 nop

; case: parameter twice
.macro m a, a
; error: 13-14 C0404 parameter `a` is named twice
;   label: already in use
.endm
 nop

; case: macro without end
.macro m
 m
.endm
 m
; error: 2-3 C0405 more than 64 macro calls, repetitions or files are open here
;   label: too deep
;   related: -2:2-3 in the expansion of macro `m`
;   help: a macro that calls itself needs an `.if` that ends it
 nop

; case: endless repetition
.rept 1 << 40
; error: 1-14 C0406 the program grows beyond 16 MiB of text here
;   label: too large
;   help: look for a repetition that runs away
.endr
 nop

; case: text that doubles
.macro m a
.if 1
 m \a\()\a\()\a\()\a
.endif
.endm
 m xxxxxxxxxxxxxxxxxxxx
; error: 2-24 C0406 the program grows beyond 16 MiB of text here
;   label: too large
;   related: -3:2-21 in the expansion of macro `m`
;   help: look for a repetition that runs away

; case: argument missing
.macro m a, b
.endm
 m 1
; error: 2-5 C0407 macro `m` takes 2 arguments, 1 given
;   label: wrong number of arguments
;   related: -2:8-9 its parameters: a, b
 nop

; case: argument too many
.macro m a, b=1
.endm
 m 1, 2, 3
; error: 2-11 C0407 macro `m` takes 1 to 2 arguments, 3 given
;   label: wrong number of arguments
;   related: -2:8-9 its parameters: a, b
 nop

; case: include missing
.include "none.inc"
; error: 10-20 C0408
 nop

; case: no complaints about what a missing include may define
.include "none.inc"
; error: 10-20 C0408
 addi f1, f2, size

; case: include of itself
.include "a.inc"
 nop
; file: a.inc
.include "b.inc"
; file: b.inc
.include "a.inc"
; error: 10-17 C0409 `a.inc` includes itself
;   label: is being read already
;   help: take the common part out into a third file

; case: error in an included file
.include "a.inc"
 nop
; file: a.inc

 cadd f1
; error: 2-9 C0302 `cadd` takes 3 operands, 1 given
;   label: wrong number of operands
;   help: it is written `cadd fN, fN, fN`

; case: kernel twice
.kernel a
 nop
.kernel a
; error: 9-10 C0410 kernel `a` is defined twice
;   label: defined again
;   related: -2:9-10 the first one
;   help: bundles before any `.kernel` of a file make the kernel `main`
 nop

; case: kernel twice, behind another one that went back
.kernel a
.org 100
 nop
.kernel b
.org 5
 nop
.kernel a
; error: 9-10 C0410 kernel `a` is defined twice
;   label: defined again
;   related: -6:9-10 the first one
;   help: bundles before any `.kernel` of a file make the kernel `main`
 nop

; case: kernel twice in two files
.kernel a
 nop
; file: b.s
.kernel a
; error: 9-10 C0410 kernel `a` is defined twice
;   label: defined again
;   related: -2:9-10 the first one
;   help: bundles before any `.kernel` of a file make the kernel `main`
 nop

; case: main twice without a name
 nop
; file: b.s
 nop
; error: 2-5 C0410 kernel `main` is defined twice
;   label: defined again
;   related: -1:2-5 the first one
;   help: bundles before any `.kernel` of a file make the kernel `main`

; case: kernel without bundles
.kernel a
; error: 9-10 C0411 kernel `a` has no bundles
;   label: empty
;   help: a kernel needs at least one bundle; the last one usually stops

; case: bundle among data
 nop
.lmem all
 nop
; error: 2-5 C0412 a bundle among the data of local memory
;   label: not in this memory
;   help: `.code` goes back to the kernel, `.kernel NAME` begins another

; case: data among bundles
 nop
 .quad 1
; error: 2-7 C0412 data among the bundles of a kernel
;   label: not in this memory
;   help: data go to local memory: `.lmem all` or `.lmem 0..3` first; a bundle given as a number is `.bundle`

; case: zero among bundles
 .zero 4
; error: 2-7 C0412 data among the bundles of a kernel
;   label: not in this memory
;   help: data go to local memory: `.lmem all` or `.lmem 0..3` first; a bundle given as a number is `.bundle`
 nop

; case: one bundle too many
.org 8191
 nop
 nop
; error: 2-5 C0413 the program does not fit: instruction memory has 8192 bundles, and this one would be at 8192
;   label: does not fit
 nop

; case: one word too many
 nop
.lmem 1
.org 8191
 .quad 1, 2
; error: 2-7 C0414 the data do not fit: local memory has 8192 words, and these would go from 8191 to 8192
;   label: do not fit
 .quad 3, 4

; case: very many words
 nop
.lmem 1
 .zero 0xffffffff
; error: 2-7 C0414 the data do not fit: local memory has 8192 words, and these would go from 0 to 4294967294
;   label: do not fit

; case: kernels overlap
.kernel a
; error: 9-10 C0415 kernels `b` and `a` overlap at bundle 4
;   label: begins inside another
;   related: +4:9-10 `b` ends at bundle 4
;   help: place them apart with `.org`, or leave `.org` out
.org 4
 nop
 nop
.kernel b
.org 2
 nop
 nop
 nop

; case: data overlap
 nop
.lmem 0
 .quad 1, 2
.org 1
 .quad 3
; error: 2-7 C0416 word 1 of local memory is given a value twice
;   label: placed onto other data
;   related: -2:2-7 the other data are here
;   help: `.org` moves the next data; data of `all` and of a section must not overlap

; case: data of all overlap data of one
 nop
.lmem 3
 .quad 1
.lmem all
 .quad 1
; error: 2-7 C0416 word 0 of local memory is given a value twice
;   label: placed onto other data
;   related: -2:2-7 the other data are here
;   help: `.org` moves the next data; data of `all` and of a section must not overlap

; case: org goes back
.org 5
 nop
.org 4
; error: 1-7 C0417 `.org 4` goes back: kernel `main` has bundles up to 5
;   label: goes back
;   help: a kernel grows upwards; start another one with `.kernel` first
 nop

; case: section of lmem
 nop
.lmem 4
; error: 7-8 C0418 this is not a section of local memory
;   label: not one of the choices
;   help: write `.lmem all`, or `.lmem 0` to `.lmem 3`

; case: lmem of a register
 nop
.lmem f3
; error: 7-9 C0418 this is not a section of local memory
;   label: not one of the choices
;   help: write `.lmem all`, or `.lmem 0` to `.lmem 3`

; case: dmabank of two
.dmabank 2
; error: 10-11 C0418 this is not a choice of banks
;   label: not one of the choices
;   help: write `.dmabank 0`, `1`, `both` or `none`
 nop

; case: live of a gpr
.live f0, g1
; error: 11-13 C0418 this list takes registers f0 to f63, not gN
;   label: not one of the choices
;   help: for example `f0, f2-f5`
 nop

; case: live range goes down
.live f5-f2
; error: 7-12 C0418 the range goes down, from f5 to f2
;   label: not one of the choices
 nop

; case: live after the last
.live f60-f64
; error: 11-14 C0304 there is no register f64: they are f0 to f63
;   label: does not exist
;   help: `--enable more-fprs=128` gives a machine that has it
 nop

; case: complex without imaginary part
 nop
.lmem all
 .complex 1, 2, 3
; error: 17-18 C0418 3 values; each word takes two
;   label: not one of the choices
;   help: high and low half alternate: `.complex re, im, re, im`

; case: allow of an error
 nop @allow(C0305)
; error: 13-18 C0419 `C0305` cannot be allowed
;   label: cannot be allowed
;   help: lints (C05..), checks of runs (C08..), raw bundles (C0310) and control flow (C045.) can be allowed

; case: allow of no code
.allow hazards
; error: 8-15 C0419 there is no code `hazards`
;   label: cannot be allowed
;   help: lints (C05..), checks of runs (C08..), raw bundles (C0310) and control flow (C045.) can be allowed
 nop
.endallow

; case: address out of memory
.org 8192
; error: 6-10 C0420 the address is 8192; it must be from 0 to 8191
;   label: out of range
 nop

; case: negative address
.org -1
; error: 6-8 C0420 the address is -1; it must be from 0 to 8191
;   label: out of range
 nop

; case: alignment of zero
.align 0
; error: 8-9 C0420 the alignment is 0
;   label: out of range
;   help: an alignment is 1 or more
 nop

; case: alignment out of memory
 nop
.align 8192
; error: 8-12 C0420 the alignment leads to 8192; the last address is 8191
;   label: out of range
 nop

; case: negative count
.rept -1
; error: 1-9 C0420 `.rept -1`: the count is negative
;   label: out of range
.endr
 nop

; case: pair of 33 bits
 nop
.lmem all
 .pair 1 << 32, 0
; error: 8-15 C0420 4294967296 does not fit in 32 bits
;   label: out of range
