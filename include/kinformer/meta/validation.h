#ifndef KINFORMER_META_VALIDATION_H_
#define KINFORMER_META_VALIDATION_H_

#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer {

/// The API server's rules for names. Errors are kInvalidArgument and say what is wrong with which text.

/// "example.com": lower-case letters, digits, '-' and '.', at most 253 bytes; each part begins and ends with a letter
/// or digit.
Result<void> ValidateDnsSubdomain(std::string_view name);
/// "app" or "example.com/app": an optional DNS subdomain and '/', then a name of at most 63 letters, digits, '-', '_'
/// and '.', which begins and ends with a letter or digit.
Result<void> ValidateLabelKey(std::string_view key);
/// Empty, or valid as the name in a label key.
Result<void> ValidateLabelValue(std::string_view value);

}  // namespace kinformer

#endif  // KINFORMER_META_VALIDATION_H_
