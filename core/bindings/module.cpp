#include <exception>

#include "bindings/bindings.hpp"
#include "rules/rules.hpp"

namespace nb = nanobind;

namespace {

// Raises the class of that name from tengen.errors. Looked up when needed, because the module
// itself must import without the package around it: that is how its type stub is made.
void raise(const char* name, const std::exception& error) {
    const nb::object type = nb::module_::import_("tengen.errors").attr(name);
    PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const tengen::IllegalMove& error) {
        raise("IllegalMove", error);
    } catch (const tengen::ImpossiblePosition& error) {
        raise("ImpossiblePosition", error);
    } catch (const tengen::UserError& error) {
        raise("TengenError", error);
    }
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The native core of Tengen: rules, playouts, tree search and exact solvers.";
    // Whatever Python still holds when it exits (a cached game, a traceback) would be reported.
    nb::set_leak_warnings(false);
    nb::register_exception_translator(translate);
    tengen::bind_rules(module);
    tengen::bind_search(module);
    tengen::bind_solve(module);
    tengen::bind_neural(module);
}
