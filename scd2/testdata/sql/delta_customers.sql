MERGE INTO `prod`.`customers` AS t
USING `staged` AS s
ON t.`tenant_id` = s.`onerow_merge_tenant_id`
  AND t.`customer_id` = s.`onerow_merge_customer_id`
  AND t.`valid_from` = s.`onerow_merge_valid_from`
WHEN MATCHED AND s.`onerow_action` = 'remove' THEN
  DELETE
WHEN MATCHED THEN
  UPDATE SET
    `tenant_id` = s.`tenant_id`,
    `customer_id` = s.`customer_id`,
    `name` = s.`name`,
    `valid_from` = s.`valid_from`,
    `valid_to` = s.`valid_to`,
    `is_current` = s.`is_current`
WHEN NOT MATCHED AND s.`onerow_action` = 'insert' THEN
  INSERT (
    `tenant_id`,
    `customer_id`,
    `name`,
    `valid_from`,
    `valid_to`,
    `is_current`
  ) VALUES (
    s.`tenant_id`,
    s.`customer_id`,
    s.`name`,
    s.`valid_from`,
    s.`valid_to`,
    s.`is_current`
  )
