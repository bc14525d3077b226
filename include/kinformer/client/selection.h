#ifndef KINFORMER_CLIENT_SELECTION_H_
#define KINFORMER_CLIENT_SELECTION_H_

#include <string>

namespace kinformer {

/// Which objects of a resource, and how much of them. Calls take it before the options that say how to read or delete
/// them.
///
///     const ki::Selection web{.namespace_name = "default", .label_selector = "app=web"};
///     KI_TRY_ASSIGN(const auto list, client.For<Pod>().List(web, {.limit = 100}));
struct Selection {
  /// Empty: all namespaces; for an informer, the namespace of its factory if that has one.
  std::string namespace_name{};
  /// For example "app=web,tier!=cache"; empty: any labels.
  std::string label_selector{};
  /// For example "spec.nodeName=node-7"; empty: any fields.
  std::string field_selector{};
  /// Objects come without `metadata.managedFields` unless this is set, see ObjectOptions.
  bool keep_managed_fields = false;

  bool operator==(const Selection&) const = default;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_SELECTION_H_
