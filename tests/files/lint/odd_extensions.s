# Accesses of two words of the extensions at odd addresses.
; machine: vm7 extensions.conditional_memory=true extensions.section_addressing=true extensions.section_counters=true

; case: conditional ones
.kernel k
    clr r0
    seti a0, 101
    nop
    if(cc1) | cldo f2, (r0)+2
; lint: C0512
    if(cc1) | csdi f8, 33
; lint: C0512
    nop
    if(cc1) | csdo f8, (r0)+1
; lint: C0512
    if(cc1) | csdo f8, (r0)+1
    stopi 0

; case: section addresses that a general register gives to all sections
.kernel k
    seti g1, 101
    setsa r3, g1
    ldsa f2, (r3)+2
; lint: C0512
    nop
    nop
    sdsa f8, (r3)+1
; lint: C0512
    sdsa f8, (r3)+1
    stopi 0

; case: masked ones, which step where the predicate says
.kernel k
    seti g1, 101
    setsa r3, g1
    if(cc1) | mldsa f2, (r3)+2
; lint: C0512
    nop
    nop
    if(cc1) | msdsa f8, (r3)+1
; lint: C0512
    if(cc1) | msdsa f8, (r3)+1
    stopi 0

; case: addresses of sections from registers are not known
.kernel k
    mtsa r3, f1.lo
    ldsa f2, (r3)+2
    stopi 0
; lint: none
