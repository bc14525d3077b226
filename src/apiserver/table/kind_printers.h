#ifndef KINFORMER_SRC_APISERVER_TABLE_KIND_PRINTERS_H_
#define KINFORMER_SRC_APISERVER_TABLE_KIND_PRINTERS_H_

// In:     objects of Kubernetes' own kinds
// Out:    the cells that kubectl get shows of them
// Thread: any; pure
// Next:   TablePrinter

#include <span>
#include <string_view>

#include <kinformer/codec/object.h>
#include <kinformer/meta/time.h>

#include "src/apiserver/table/cells.h"

namespace kinformer::apiserver {

struct Column {
  std::string_view name{};
  std::string_view type = "string";
  std::string_view format{};
  /// Greater than zero: shown by -o wide alone.
  int priority = 0;
  std::string_view description{};
};

using PrintCells = void (*)(const Object& object, Timestamp now, Cells& cells);

/// One kind, in all its versions.
struct KindPrinter {
  std::string_view group{};
  std::string_view kind{};
  std::span<const Column> columns{};
  PrintCells print = nullptr;
};

// Of which each is in a file of its own.
std::span<const KindPrinter> PodPrinters();
std::span<const KindPrinter> WorkloadPrinters();
std::span<const KindPrinter> CorePrinters();
std::span<const KindPrinter> NetworkPrinters();
std::span<const KindPrinter> PolicyPrinters();

/// Null: a kind of which nothing more than name and age is shown.
const KindPrinter* FindPrinter(std::string_view group, std::string_view kind);

// What many of them have.
inline constexpr Column kNameColumn{.name = "Name", .format = "name", .description = "Name of the object"};
inline constexpr Column kAgeColumn{.name = "Age", .description = "Time since the object was created"};
inline constexpr Column kContainersColumn{
    .name = "Containers", .priority = 1, .description = "Names of the containers in the template"};
inline constexpr Column kImagesColumn{
    .name = "Images", .priority = 1, .description = "Images of the containers in the template"};
inline constexpr Column kSelectorColumn{
    .name = "Selector", .priority = 1, .description = "Labels of the pods that belong to it"};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_KIND_PRINTERS_H_
