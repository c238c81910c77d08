// The parts of the Python module, one function per file.
#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

void bind_rules(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_solve(nanobind::module_& module);
void bind_neural(nanobind::module_& module);

}  // namespace tengen
