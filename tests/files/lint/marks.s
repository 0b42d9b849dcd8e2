# Marks in the source that the linter obeys (`specs/src/lint.md`).

; case: an early read
.kernel k
    lwi f1, 0
    psadd f2, f1, f1
; lint: C0501
    stopi 0

; case: one that is meant
.kernel k
    lwi f1, 0
    psadd f2, f1, f1 @allow(C0501)
    stopi 0
; lint: none

; case: a mark for another code
.kernel k
    lwi f1, 0
    psadd f2, f1, f1 @allow(C0502)
; lint: C0501
    stopi 0

; case: a block of marks
.kernel k
.allow C0501
    lwi f1, 0
    psadd f2, f1, f1
.endallow
    stopi 0
; lint: none

; case: a result that does not live
.kernel k
.live f2-f5
    lwi f1, 0
; lint: C0504
    stopi 0

; case: a result that lives
.kernel k
.live f1
    lwi f1, 0
    stopi 0
; lint: none

; case: what the assembler was told to allow is allowed
    jumpi out
    stopi 1 @allow(C0450)
out:
    stopi 0
; lint: none

; case: open rules are told on request
; rules: undefined
    seti m1, 0
    lwo f1, (r1)-1
; lint: C0520
    stopi 0

; case: and not otherwise
    seti m1, 0
    lwo f1, (r1)-1
    stopi 0
; lint: none

; case: open rules can be marked too
; rules: undefined
    seti m1, 0
    lwo f1, (r1)-1 @allow(C0520)
    stopi 0
; lint: none
