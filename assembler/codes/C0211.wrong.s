.global entry
    nop
