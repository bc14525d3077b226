#ifndef KINFORMER_META_SELECTOR_H_
#define KINFORMER_META_SELECTOR_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer {

/// Longer texts are refused (kTooLarge): no URL could carry them.
inline constexpr std::size_t kMaxSelectorBytes = std::size_t{64} * 1024;

/// How a selector asks for a label: by a `Find(key)` (labels of an object), a map of strings, or a callable, each
/// giving an optional text. Refers to what it was made from; meant as a parameter.
class LabelLookup {
 public:
  template <typename Labels>
  requires(!std::same_as<std::remove_cvref_t<Labels>, LabelLookup>)
      LabelLookup(const Labels& labels)  // NOLINT(google-explicit-constructor)
      : labels_(&labels), find_(&Find<Labels>) {}

  std::optional<std::string_view> operator()(std::string_view key) const { return find_(labels_, key); }

 private:
  template <typename Labels>
  static std::optional<std::string_view> Find(const void* erased, std::string_view key) {
    const Labels& labels = *static_cast<const Labels*>(erased);
    if constexpr (requires { labels.Find(key); }) {
      return labels.Find(key);
    } else if constexpr (std::is_invocable_v<const Labels&, std::string_view>) {
      // A returned std::string would die before it is looked at.
      static_assert(std::is_convertible_v<std::invoke_result_t<const Labels&, std::string_view>,
                                          std::optional<std::string_view>> &&
                    !std::is_same_v<std::invoke_result_t<const Labels&, std::string_view>, std::string>);
      return labels(key);
    } else {
      const auto it = [&] {
        if constexpr (requires { labels.find(key); }) {
          return labels.find(key);
        } else {
          return labels.find(typename Labels::key_type(key));
        }
      }();
      if (it == labels.end()) return std::nullopt;
      return std::string_view(it->second);
    }
  }

  const void* labels_;
  std::optional<std::string_view> (*find_)(const void*, std::string_view);
};

enum class LabelOperator { kEquals, kNotEquals, kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

/// One condition on one label. Valid by construction.
class LabelRequirement {
 public:
  /// kEquals and kNotEquals take one value, kIn and kNotIn one or more, kExists and kDoesNotExist none, kGreaterThan
  /// and kLessThan one integer.
  static Result<LabelRequirement> Create(std::string_view key, LabelOperator op, std::vector<std::string> values = {});

  const std::string& key() const { return key_; }
  LabelOperator op() const { return op_; }
  /// Sorted, each once.
  const std::vector<std::string>& values() const { return values_; }

  /// A label that is absent matches kNotEquals, kNotIn and kDoesNotExist. kGreaterThan and kLessThan match only labels
  /// that are integers.
  bool Matches(LabelLookup labels) const;

  auto operator<=>(const LabelRequirement&) const = default;

 private:
  LabelRequirement() = default;

  std::string key_;
  LabelOperator op_ = LabelOperator::kExists;
  std::vector<std::string> values_;
  std::int64_t bound_ = 0;
};

std::string ToString(const LabelRequirement& requirement);

/// One of the `matchExpressions` in an API object's label selector.
struct LabelSelectorExpression {
  std::string key{};
  std::string op{};  ///< "In", "NotIn", "Exists" or "DoesNotExist".
  std::vector<std::string> values{};
};

/// Which objects, by their labels: all requirements must match. Requirements may name the same key more than once.
///
///     auto selector = LabelSelector::Parse("app=web,tier notin (test,dev),!canary");
///     if (selector && selector->Matches(object->Labels())) ...
///
/// A value: selectors that are the same set of requirements compare equal, however they were written.
///
/// @par Thread Safety
/// Immutable but for assignment; any thread.
class LabelSelector {
 public:
  /// Matches everything.
  LabelSelector() = default;
  explicit LabelSelector(std::vector<LabelRequirement> requirements);

  static LabelSelector Everything() { return {}; }
  /// Matches no object, here and on a server.
  static LabelSelector Nothing();

  /// What `kubectl -l` takes: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x,y)`, `a`, `!a`, `a>1`, `a<5`, joined by
  /// commas, with white space between words. An error says at which byte, what was found and what was expected.
  static Result<LabelSelector> Parse(std::string_view text);
  /// From the `matchLabels` and `matchExpressions` of an API object. Both empty: everything.
  static Result<LabelSelector> FromApi(const std::map<std::string, std::string>& match_labels,
                                       const std::vector<LabelSelectorExpression>& match_expressions = {});

  bool Matches(LabelLookup labels) const;
  bool IsEverything() const { return requirements_.empty(); }
  /// The one value that every match has for `key`, if there is such.
  std::optional<std::string> RequiresExactMatch(std::string_view key) const;
  /// Both must match.
  LabelSelector And(const LabelSelector& other) const;

  /// Sorted, each once.
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }

  auto operator<=>(const LabelSelector&) const = default;

 private:
  std::vector<LabelRequirement> requirements_;
};

/// Canonical: equal selectors give the same text, and Parse gives the selector back.
std::string ToString(const LabelSelector& selector);

enum class FieldOperator { kEquals, kNotEquals };

struct FieldRequirement {
  std::string field{};  ///< "status.phase"
  FieldOperator op = FieldOperator::kEquals;
  std::string value{};

  auto operator<=>(const FieldRequirement&) const = default;
};

/// Which objects, by some of their fields: `metadata.name=x,status.phase!=Running`. In values `,`, `=` and `\` are
/// written with a backslash before them. Which fields a kind can be selected by, the server decides.
///
/// @par Thread Safety
/// Immutable but for assignment; any thread.
class FieldSelector {
 public:
  /// Matches everything.
  FieldSelector() = default;

  static FieldSelector Everything() { return {}; }
  static Result<FieldSelector> Parse(std::string_view text);
  /// Values as they are, without escaping.
  static Result<FieldSelector> From(std::vector<FieldRequirement> requirements);

  /// `value_of(field)` gives a text or an optional text. A field that is absent counts as empty, as on a server.
  template <typename ValueOf>
  requires std::invocable<ValueOf&, std::string_view>
  bool Matches(ValueOf&& value_of) const {
    for (const FieldRequirement& requirement : requirements_) {
      const auto value = value_of(std::string_view(requirement.field));
      if ((TextOf(value) == requirement.value) != (requirement.op == FieldOperator::kEquals)) return false;
    }
    return true;
  }
  bool IsEverything() const { return requirements_.empty(); }
  /// The one value that every match has in `field`, if there is such.
  std::optional<std::string> RequiresExactMatch(std::string_view field) const;
  /// Both must match.
  FieldSelector And(const FieldSelector& other) const;

  /// Sorted, each once.
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }

  auto operator<=>(const FieldSelector&) const = default;

 private:
  template <typename Text>
  static std::string_view TextOf(const Text& value) {
    if constexpr (std::is_convertible_v<const Text&, std::string_view>) {
      return value;
    } else {
      return value ? std::string_view(*value) : std::string_view();
    }
  }

  void Normalize();

  std::vector<FieldRequirement> requirements_;
};

/// Canonical, with escapes: equal selectors give the same text, and Parse gives the selector back.
std::string ToString(const FieldSelector& selector);

}  // namespace kinformer

#endif  // KINFORMER_META_SELECTOR_H_
