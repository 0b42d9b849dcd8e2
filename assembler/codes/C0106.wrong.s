    nop | if(cc3) psprmsgn f0, f2, 0, 1, 2, 3
