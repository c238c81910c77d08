// The namespace of code that is compiled once per instruction set.
//
// Hot templates stand between TENGEN_BEGIN and TENGEN_END. dispatch/kernels.cpp is compiled once
// for any x86-64 and once for AVX2 and BMI2, each time with another TENGEN_ISA, so that the linker
// never takes a function of one for the other. Everything else is portable code.
#pragma once

#ifndef TENGEN_ISA
#define TENGEN_ISA portable
#endif

#define TENGEN_BEGIN   \
    namespace tengen { \
    inline namespace TENGEN_ISA {
#define TENGEN_END \
    }              \
    }
