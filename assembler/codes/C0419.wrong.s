    nop @allow(C0305)
