// Linked into every test program: no test suite may leave threads or open files behind.

#include "test/support/leak_check.h"

namespace kinformer::testing_support {
namespace {

[[maybe_unused]] const bool kLeakChecked = InstallLeakCheck();

}  // namespace
}  // namespace kinformer::testing_support
