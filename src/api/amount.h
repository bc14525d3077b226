#ifndef KINFORMER_SRC_API_AMOUNT_H_
#define KINFORMER_SRC_API_AMOUNT_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::api::internal {

__extension__ using Int128 = __int128;

/// How a quantity is written: 12M, 12Mi, 12e6.
enum class Notation { kDecimal, kBinary, kExponent };

/// What a quantity's text means.
struct Amount {
  Int128 nanos = 0;
  Notation notation = Notation::kDecimal;
};

/// The largest magnitude in use; sums of two fit into 128 bits.
Int128 MaxNanos();

/// nullopt if the text is not a quantity or too large.
std::optional<Amount> ParseAmount(std::string_view text);
std::string FormatAmount(const Amount& amount);

}  // namespace kinformer::api::internal

#endif  // KINFORMER_SRC_API_AMOUNT_H_
