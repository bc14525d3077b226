// Part of every test program: none of its suites may leave a thread or an open file behind.

#include "test/support/leak_check.h"

namespace kinformer::testing_support {
namespace {

[[maybe_unused]] const bool kLeakChecked = InstallLeakCheck();

}  // namespace
}  // namespace kinformer::testing_support
