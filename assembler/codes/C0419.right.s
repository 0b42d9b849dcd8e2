    nop @allow(C0501)
