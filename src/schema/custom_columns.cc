#include "src/schema/custom_columns.h"

#include <utility>

namespace kinformer::apiserver {

std::vector<PrinterColumn> CustomColumns(std::vector<PrinterColumn> additional) {
  std::vector<PrinterColumn> columns;
  columns.reserve(additional.size() + 2);
  columns.push_back({.name = "Name", .format = "name", .description = "Name of the object", .printer = "name"});
  if (additional.empty()) {
    columns.push_back({.name = "Age",
                       .type = "date",
                       .description = "Time since the object was created",
                       .json_path = ".metadata.creationTimestamp"});
  }
  for (PrinterColumn& column : additional) {
    if (column.description.empty()) {
      column.description = "Custom resource definition column (in JSONPath format): " + column.json_path;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace kinformer::apiserver
