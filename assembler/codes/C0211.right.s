.global entry
entry:
    nop
