MERGE INTO "My DB"."a.b"."select" AS t_
USING "my temp"."st`ag""ed" AS s_
ON EQUAL_NULL(t_."order", s_."onerow_merge_order")
  AND EQUAL_NULL(t_."qu""o`te", s_."onerow_merge_qu""o`te")
  AND t_."From" = s_."onerow_merge_From"
WHEN MATCHED AND s_."onerow_action" = 'remove' THEN
  DELETE
WHEN MATCHED THEN
  UPDATE SET
    "order" = s_."order",
    "qu""o`te" = s_."qu""o`te",
    "back\slash" = s_."back\slash",
    "Größe" = s_."Größe",
    "a.b" = s_."a.b",
    "'; drop" = s_."'; drop",
    "t" = s_."t",
    "s" = s_."s",
    "From" = s_."From",
    "to" = s_."to"
WHEN NOT MATCHED AND s_."onerow_action" = 'insert' THEN
  INSERT (
    "order",
    "qu""o`te",
    "back\slash",
    "Größe",
    "a.b",
    "'; drop",
    "t",
    "s",
    "From",
    "to"
  ) VALUES (
    s_."order",
    s_."qu""o`te",
    s_."back\slash",
    s_."Größe",
    s_."a.b",
    s_."'; drop",
    s_."t",
    s_."s",
    s_."From",
    s_."to"
  )
