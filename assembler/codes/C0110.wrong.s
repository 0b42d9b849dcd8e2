    nop @deny(C0501)
