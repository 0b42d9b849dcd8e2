        clear f1, f2
        if(cc1) copy f3, f1
        stopi 0
